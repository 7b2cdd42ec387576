"""Runs the OpenEnv package as a server process of its own, on this machine, without Docker."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

import rhythm
from rhythm.vocab import RhythmError

START_WITHIN_S: Final = 120.0
"""Importing OpenEnv takes 5 to 30 seconds, on a busy machine more."""


class ServerStartError(RhythmError, RuntimeError):
    """The server process ended, or did not answer in time."""


def free_port() -> int:
    """A port of the loopback interface that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """One running server.

    Args:
        package: folder that holds ``server/app.py``.
        settings: environment variables on top of this process's own.

    Raises:
        ServerStartError: it did not come up.
    """

    def __init__(self, package: Path, settings: Mapping[str, str] | None = None) -> None:
        port = free_port()
        self.base_url = f"http://127.0.0.1:{port}"
        sources = str(Path(rhythm.__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, (sources, os.environ.get("PYTHONPATH", ""))))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(settings or {})}
        command = [sys.executable, "-m", "uvicorn", "server.app:app", "--port", str(port), "--log-level", "warning"]
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and server
            command, cwd=package, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the process and wait for it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _wait(self) -> None:
        until = time.monotonic() + START_WITHIN_S
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise ServerStartError(f"the server process ended with status {self._process.returncode}")
            try:
                if httpx.get(f"{self.base_url}/health", timeout=2.0, trust_env=False).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise ServerStartError(f"the server did not answer within {START_WITHIN_S:.0f} s")


@contextmanager
def serving(package: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The base URL of a server that runs inside this block; errors as `ServerProcess`."""
    server = ServerProcess(package, settings)
    try:
        yield server.base_url
    finally:
        server.stop()
