"""Small real HTTP servers on this machine, for feeds and the language model."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """A server that answers by path and remembers what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.bodies: list[bytes] = []
        self.stopping = threading.Event()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a path."""
        return f"http://{host}:{self.port}{path}"


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port of this machine while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            server.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            answer = server.answers.get(self.path.partition("?")[0])
            if answer is None:
                self.send_error(404)
                return
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_POST(self) -> None:
            server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            self.do_GET()

        do_PROPFIND = do_REPORT = do_POST  # noqa: N815 - named by HTTP

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Say nothing."""

    http = Quiet(("127.0.0.1", 0), Handler)
    server = Server(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        http.shutdown()
        http.server_close()
        thread.join()


def body(content: bytes, status: int = 200, **headers: str) -> Answer:
    """An answer with a body; header names are written with underscores."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    return answer


def redirect(to: str, status: int = 302) -> Answer:
    """An answer that points elsewhere."""
    return body(b"", status, Location=to)


def drip(server: Server, piece: bytes, pause_s: float, *, in_headers: bool = False) -> Answer:
    """An answer that never ends: a piece, a pause, and again."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" if in_headers else b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        number = 0
        while not server.stopping.wait(pause_s):
            number += 1
            request.wfile.write(b"X-%d: x\r\n" % number if in_headers else piece)
            request.wfile.flush()

    return answer
