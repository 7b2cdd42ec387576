"""The settings' form: one that is refused changes nothing, the model's key included."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import Clock, house
from rhythm.assist import Assistant
from rhythm.assist.classifying import MODEL_KEY
from rhythm.assist.keeper import Keeper, SecretError
from web.sites import csrf_of, entered


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as made:
        made.keeper = Keeper(made.person, "what secrets are kept under")
        yield made


def filled_in(client: TestClient, assistant: Assistant, **said: str) -> dict[str, str]:
    """The form as the page has it, but for what the person writes."""
    has = assistant.settings
    times = {name: f"{getattr(has.slot_times, name):%H:%M}" for name in ("morning", "afternoon", "evening", "night")}
    quiet = {"quiet_from": f"{has.quiet_from:%H:%M}", "quiet_until": f"{has.quiet_until:%H:%M}"}
    return {"csrf": csrf_of(client), "zone": has.zone, "daily_cap": str(has.daily_cap), **times, **quiet, **said}


def test_a_form_that_is_refused_leaves_the_models_key(assistant: Assistant, tmp_path: Path) -> None:
    client, keeper = entered(assistant, tmp_path), assistant.keeper
    model = {"model": "on", "model_url": "https://models.example/v1", "model_name": "m"}

    def sent(**said: str) -> int:
        return client.post("/settings", data=filled_in(client, assistant, **said)).status_code

    assert sent(**model, model_key="first") == 200
    wrong: list[dict[str, str]] = [{"zone": "Mars/Olympus"}, {"daily_cap": "99"}, {"morning": "soon"}]
    for one in wrong:
        assert sent(**model, model_key="second", **one) == 400
        assert sent(**one) == 400
        assert (keeper.get(MODEL_KEY), assistant.settings.model_name) == ("first", "m")
    assert sent(**model) == 200
    assert keeper.get(MODEL_KEY) == "first", "an empty field leaves it"
    assert sent(**model, model_key="second") == 200
    assert keeper.get(MODEL_KEY) == "second"
    assert sent(**{**model, "model_url": "https://Models.example/v2"}) == 200
    assert keeper.get(MODEL_KEY) == "second", "the same server"
    assert sent(**{**model, "model_url": "https://models.example.org/v1"}) == 200
    with pytest.raises(SecretError):
        keeper.get(MODEL_KEY)
    assert sent(model_key="third") == 200
    with pytest.raises(SecretError):
        keeper.get(MODEL_KEY)


def test_own_addresses_are_added_shown_taken_out_and_left_alone_by_the_other_form(
    assistant: Assistant, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = entered(assistant, tmp_path)
    csrf = csrf_of(client)

    def add(addresses: str) -> str:
        return client.post("/settings/addresses", data={"csrf": csrf, "addresses": addresses}).text

    assert "read anew within a minute" in add("Kim@Example.org, kim&co@work.example")
    assert list(assistant.settings.own_addresses) == ["kim@example.org", "kim&co@work.example"]
    assert 'value="kim&amp;co@work.example"' in client.get("/settings").text
    assert client.post("/settings", data=filled_in(client, assistant, name="Kim")).status_code == 200
    assert len(assistant.settings.own_addresses) == 2
    with caplog.at_level("DEBUG"):
        refused = client.post("/settings/addresses", data={"csrf": csrf, "addresses": "<marker@example.org>"})
    assert (refused.status_code, "marker" in refused.text) == (400, False)
    assert "no e-mail address" in refused.text
    assert "marker" not in caplog.text
    gone = client.post("/settings/addresses/remove", data={"csrf": csrf, "address": "kim@example.org"})
    assert "Taken out." in gone.text
    assert list(assistant.settings.own_addresses) == ["kim&co@work.example"]
    assert client.post("/settings/addresses", data={"addresses": "a@b.example"}).status_code == 403
    assert list(assistant.settings.own_addresses) == ["kim&co@work.example"]


def test_data_names_the_file_to_give_again(assistant: Assistant, tmp_path: Path) -> None:
    client, file = entered(assistant, tmp_path), tmp_path / "work.ics"
    file.write_bytes(b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
    assistant.import_file(file)
    assert "does not say who you are" in client.get("/data").text
    client.post("/settings/addresses", data={"csrf": csrf_of(client), "addresses": "kim@example.org"})
    page = client.get("/data").text
    assert "give the file again" in page
    assert "does not say who you are" not in page
    assistant.import_file(file)
    assert "give the file again" not in client.get("/data").text
