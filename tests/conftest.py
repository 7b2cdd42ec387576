"""The order of the tests: files that hold slow ones first, so that no worker is left alone with one at the end."""

import pytest

SLOW_MARKS = ("slow", "browser", "postgres")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a slow test before those without, each in the order they had."""
    slow = {item.path for item in items if any(item.get_closest_marker(mark) for mark in SLOW_MARKS)}
    items.sort(key=lambda item: item.path not in slow)
