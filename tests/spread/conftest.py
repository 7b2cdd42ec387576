"""A cluster as an operator starts it: a scheduler and two workers, each a process of its own, over TCP."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCAL = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--no-dashboard")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address. A worker that ends is started again, and an item may end one, not two."""
    with cluster_of_two(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@contextmanager
def cluster_of_two(folder: Path, **environment: str) -> Iterator[str]:
    """A scheduler and two workers, with an environment of their own beside this process's; gives the address."""
    told = folder / "scheduler.json"
    with (
        _started(folder, environment, "scheduler", "--port", "0", "--scheduler-file", str(told), *LOCAL),
        _started(
            folder, environment, "worker", "--scheduler-file", str(told), "--nworkers", "2", "--nthreads", "1",
            "--local-directory", str(folder), *LOCAL,
        ),
    ):  # fmt: skip
        yield json.loads(_awaited(told))["address"]


@contextmanager
def _started(folder: Path, environment: dict[str, str], what: str, *words: str) -> Iterator[None]:
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")))
    env = {**os.environ, "PYTHONPATH": paths, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1", **environment}
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words]
    with (
        (folder / f"{what}.log").open("w") as log,
        subprocess.Popen(command, env=env, stdout=log, stderr=log) as child,  # noqa: S603 - Dask, with words of our own
    ):
        try:
            yield
        finally:
            child.terminate()


def _awaited(path: Path) -> str:
    ends = time.monotonic() + 60.0
    while not path.exists():
        assert time.monotonic() < ends, "no scheduler came"
        time.sleep(0.05)
    return path.read_text("utf-8")
