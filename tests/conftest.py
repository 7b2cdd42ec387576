"""The order of the tests, their threads, and which files one worker runs, so that what is slow to make is made once."""

import os
from typing import Any

import pytest

# Before anything loads torch: workers share the cores, where threads that wait for each other take ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SLOW_MARKS = ("slow", "browser", "postgres")
SHARING = (
    ("tests/lm/test_lm_training.py", "tests/lm/test_packed.py", "tests/lm/test_week_rollouts.py"),
    (
        "tests/distill/test_export.py",
        "tests/distill/test_shipped.py",
        "tests/distill/test_training.py",
        "tests/distill/test_weeks.py",
    ),
)
"""Files that need the same models or weeks: apart, each worker would make its own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a slow test before those without, each in the order they had."""
    slow = {item.path for item in items if any(item.get_closest_marker(mark) for mark in SLOW_MARKS)}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files to a worker, as ``--dist loadfile`` does, and files that share what they need to the same."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415 - only where tests run side by side

    first = {file: files[0] for files in SHARING for file in files}

    class BySharing(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return first.get(file, file)

    return BySharing(config, log)
