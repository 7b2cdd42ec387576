"""A server that answers every request with the bytes that it is told, or with whatever a function sends."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

HEAD = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"
HEAD_END = b"\r\n\r\n"


@contextmanager
def sending(send: bytes | Callable[[socket.socket], None]) -> Iterator[tuple[str, list[int]]]:
    """Its address, and a list that grows by one with each request."""
    asked: list[int] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                taken, _ = listener.accept()
            except OSError:
                return
            with suppress(OSError), taken:
                taken.settimeout(5.0)
                _read(taken)
                asked.append(1)
                if isinstance(send, bytes):
                    taken.sendall(send)
                else:
                    send(taken)
                taken.shutdown(socket.SHUT_WR)

    thread = Thread(target=run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _read(taken: socket.socket) -> None:
    """The whole request, so that closing does not look like a refusal."""
    data = b""
    while HEAD_END not in data:
        data += taken.recv(65536)
    head, _, body = data.partition(HEAD_END)
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += taken.recv(65536)
