"""What most tests of the assistant begin with: a clock that they move, and a server of calendars."""

from collections.abc import Iterator

import pytest

from assist.houses import Clock
from bridge.calendar.servers import Server, serving


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as opened:
        yield opened
