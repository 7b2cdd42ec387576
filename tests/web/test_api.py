"""The JSON API: the same service, described by its OpenAPI document."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from rhythm.assist import Assistant
from web.sites import TOKEN, client_of, csrf_of

BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def client(assistant: Assistant, tmp_path: Path) -> TestClient:
    return client_of(assistant, tmp_path, signed_in=False)


def test_today_answer_and_undo_by_bearer(client: TestClient) -> None:
    today = client.get("/api/v1/today", headers=BEARER).json()
    number = today["waiting"][0]["number"]
    where = f"/api/v1/suggestions/{number}"
    assert client.post(f"{where}/answer", json={"outcome": "accepted", "key": "a"}, headers=BEARER).status_code == 201
    again = client.post(f"{where}/answer", json={"outcome": "ignored", "key": "b"}, headers=BEARER)
    assert again.status_code == 400
    assert again.json()["error"] == "AlreadyAnsweredError"
    assert client.post(f"{where}/undo", json={}, headers=BEARER).status_code == 201
    assert client.post(f"{where}/undo", json={}, headers=BEARER).json()["error"] == "NothingToUndoError"


def test_wrong_bodies_and_numbers_are_refused_in_words(client: TestClient) -> None:
    for body in ({"outcome": "maybe"}, {}, {"outcome": "accepted", "extra": 1}):
        refused = client.post("/api/v1/suggestions/1/answer", json=body, headers=BEARER)
        assert refused.status_code == 400
        assert "does not fit" in refused.json()["message"]
    missing = client.post("/api/v1/suggestions/999999/answer", json={"outcome": "accepted"}, headers=BEARER)
    assert missing.status_code == 404
    assert client.get("/api/v1/trends?days=0", headers=BEARER).status_code == 400
    assert client.get("/api/v1/nothing", headers=BEARER).status_code == 404


def test_a_cookie_alone_changes_nothing(assistant: Assistant, tmp_path: Path) -> None:
    client = client_of(assistant, tmp_path)
    body = {"meter": "vitality", "value": 0.5}
    assert client.post("/api/v1/reports", json=body).status_code == 403
    word = {"x-csrf-token": csrf_of(client)}
    assert client.post("/api/v1/reports", json=body, headers=word).status_code == 201


def test_a_wrong_token_opens_nothing(client: TestClient) -> None:
    assert client.get("/api/v1/today", headers={"authorization": "Bearer x"}).status_code == 401


def test_the_document_describes_every_call(client: TestClient) -> None:
    document = client.get("/api/openapi.json", headers=BEARER).json()
    assert document["openapi"].startswith("3.")
    assert set(document["paths"]) == {
        "/api/v1/today", "/api/v1/you", "/api/v1/data", "/api/v1/trends", "/api/v1/insights", "/api/v1/reports",
        "/api/v1/suggestions/{number}/answer", "/api/v1/suggestions/{number}/undo", "/api/v1/corrections",
        "/api/v1/health-records",
    }  # fmt: skip
    schema = document["paths"]["/api/v1/today"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    name = schema["$ref"].rpartition("/")[2]
    described = document["components"]["schemas"][name]["properties"]
    assert set(client.get("/api/v1/today", headers=BEARER).json()) == set(described)
