"""A chat server of the OpenAI kind on a free port, which fails as it is told and keeps its own books."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Fault = str | int | None
"""A status, ``cut`` (the body breaks off), ``late`` (nothing comes in time), or None: answered."""


@dataclass
class Books:
    """What the server saw and delivered whole."""

    fault: Callable[[int], Fault]
    text: str = "<reasoning>So.</reasoning>\n5 5 5 MEDITATE"
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answered: int = 0
    broken: int = 0
    paths: set[str] = field(default_factory=set)
    keys: set[str | None] = field(default_factory=set)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@contextmanager
def serving(fault: Callable[[int], Fault] = lambda _: None, late_s: float = 0.0) -> Iterator[tuple[str, Books]]:
    """The address and the books of a server that runs meanwhile."""
    books = Books(fault)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = tuple(message["content"] for message in body["messages"])
            with books.lock:
                number = books.requests
                books.requests += 1
                books.paths.add(self.path)
                books.keys.add(self.headers.get("authorization") or self.headers.get("api-key"))
            fault = books.fault(number)
            if isinstance(fault, int):
                self.send_response(fault)
                self.send_header("content-length", "0")
                self.send_header("retry-after", "0")
                self.end_headers()
                return
            usage = {"prompt_tokens": sum(map(len, said)), "completion_tokens": len(books.text) + number}
            usage["total_tokens"] = sum(usage.values())
            with books.lock:
                if fault is None:
                    books.answered += 1
                    books.prompt_tokens += usage["prompt_tokens"]
                    books.completion_tokens += usage["completion_tokens"]
                    books.asked.append(said)
                else:
                    books.broken += 1
            if fault == "late":
                time.sleep(late_s)
            self._deliver(_streamed(books.text, usage) if body.get("stream") else _whole(books.text, usage), fault)

        def _deliver(self, data: bytes, fault: Fault) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(data[: len(data) // 2] if fault else data)
            self.close_connection = fault is not None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", books
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_HEAD: dict[str, object] = {"id": "chat-1", "created": 1, "model": "m"}


def _whole(text: str, usage: dict[str, int]) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({**_HEAD, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def _streamed(text: str, usage: dict[str, int]) -> bytes:
    def said(delta: dict[str, str], ended: str | None) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": ended}]}

    events = [*(said({"content": letter}, None) for letter in text), said({}, "stop"), {"choices": [], "usage": usage}]
    chunks = ({**_HEAD, "object": "chat.completion.chunk", **event} for event in events)
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"
