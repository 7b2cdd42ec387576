"""Assistants for the tests of the pages, on SQLite and on PostgreSQL: the same suite runs on both."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import ZONE, Clock
from rhythm.assist import Assistant
from rhythm.store import PersonSettings, Store
from store.conftest import file_template, server, server_tables, where
from web.sites import client_of

__all__ = ["file_template", "server", "server_tables", "where"]
"""Fixtures of the store's tests: the address of an empty database of each kind."""


@pytest.fixture
def assistant(where: str) -> Iterator[Assistant]:
    """An assistant with an empty store."""
    clock = Clock()
    with Store.open(where, clock=clock) as store:
        yield Assistant(store, store.create_person("me", PersonSettings(zone=ZONE, name="Kim")), clock)


@pytest.fixture
def client(assistant: Assistant, tmp_path: Path) -> TestClient:
    """Their browser, signed in."""
    return client_of(assistant, tmp_path)
