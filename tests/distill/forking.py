"""Runs Rhythm's commands for a script in forks of one process that has imported what they need: once, not for each.

``python forking.py serve SOCKET MODULE...`` imports the modules and waits; ``python forking.py call SOCKET WORD...`` is
one command: it has the caller's folder, environment, output and errors, and ends with the command's status.
"""

import json
import os
import socket
import sys
from collections.abc import Callable

_MOST = 1 << 20


def serve(path: str, modules: list[str]) -> None:
    """Answer calls, one after another, until this process is ended."""
    from importlib import import_module  # noqa: PLC0415 - a call must start at once

    from rhythm.cli.main import main  # noqa: PLC0415

    for name in modules:
        import_module(name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            with listening.accept()[0] as caller:
                message, outputs, _, _ = socket.recv_fds(caller, _MOST, 2)
                child = os.fork()
                if not child:
                    os._exit(_be(caller, json.loads(message), outputs, main))
                for output in outputs:
                    os.close(output)
                caller.sendall(bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255]))


def _be(
    caller: socket.socket,
    told: tuple[list[str], str, dict[str, str]],
    outputs: list[int],
    main: Callable[[list[str]], object],
) -> int:
    """The command itself, in the child; its status."""
    caller.close()
    for number, output in zip((1, 2), outputs, strict=True):
        os.dup2(output, number)
    arguments, folder, environment = told
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        main(arguments)
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - the caller sees what an interpreter would show
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def call(path: str, arguments: list[str]) -> int:
    """Have one command run; its status, or 1 where the process that serves has ended."""
    told = (arguments, os.getcwd(), dict(os.environ))  # noqa: PTH109 - starts at once
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [json.dumps(told).encode()], [1, 2])
        return (server.recv(1) or b"\1")[0]


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(call(sys.argv[2], sys.argv[3:]))
