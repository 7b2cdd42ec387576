"""The pages: Today, You, Data, Settings, and the forms on them. All of it works without JavaScript."""

from datetime import datetime, time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from fastapi import APIRouter, BackgroundTasks, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from rhythm.assist.classifying import MODEL_KEY
from rhythm.assist.own_addresses import with_addresses, without_address
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab.actions import parse_action
from rhythm.vocab.errors import InvalidValueError, RhythmError
from rhythm.vocab.meters import parse_meter
from rhythm.vocab.responses import OUTCOMES, Outcome
from rhythm.vocab.slots import SlotTimes
from rhythm.web.security import PUSH_PATH
from rhythm.web.site import Here, Posted, render, text_of
from rhythm.web.uploads import WAIT_S

router = APIRouter()


class GoneError(RhythmError):
    """What a form is about is not there any more."""


MOST_NUMBER = 2**53
"""A larger number is no entry, slot or level of anybody's."""


def _after(path: str, done: str) -> RedirectResponse:
    return RedirectResponse(f"{path}?done={done}", 303)


def _number(text: str, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise InvalidValueError(f"{what} is a whole number") from None
    if abs(number) > MOST_NUMBER:
        raise InvalidValueError(f"{what} is too large a number")
    return number


def _local_time(text: str, what: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise InvalidValueError(f"{what} is a time such as 07:30") from None


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidValueError("when you tapped is an instant such as 2026-03-12T08:30:00Z") from None


@router.get("/")
def today(request: Request, site: Here) -> HTMLResponse:
    """Today first."""
    found = site.assistant.today()
    trends, insights = site.assistant.trends(), site.assistant.insights()
    return render(request, "today.html", page=found, trends=trends, insights=insights)


@router.post("/suggestions/{number}/answer")
def answer(number: int, form: Posted, site: Here) -> Response:
    """A tap on Accept, Ignore or Later."""
    outcome = text_of(form, "outcome")
    if outcome not in OUTCOMES:
        raise InvalidValueError("outcome is one of: accepted, ignored, rescheduled")
    moved = text_of(form, "moved_to")
    offline_at = text_of(form, "at")
    try:
        site.assistant.answer(
            number,
            Outcome(outcome),
            moved_to=_number(moved, "moved_to") if moved and outcome == Outcome.RESCHEDULED else None,
            at=_instant(offline_at) if offline_at else None,
            channel="offline" if offline_at else "page",
            key=text_of(form, "key") or None,
        )
    except UnknownEntryError as error:
        raise GoneError(str(error)) from None
    return _after("/", "answered")


@router.post("/suggestions/{number}/undo")
def undo(number: int, form: Posted, site: Here) -> Response:
    """Takes an answer back."""
    site.assistant.undo(number, key=text_of(form, "key") or None)
    return _after("/", "undone")


@router.post("/report")
def report(form: Posted, site: Here) -> Response:
    """A meter as the person says it stands, 0 to 4 of five steps."""
    step = _number(text_of(form, "step"), "step")
    if not 0 <= step <= 4:
        raise InvalidValueError("a report is one of five steps, 0 to 4")
    meter = parse_meter(text_of(form, "meter"))
    site.assistant.report(meter, (step + 0.5) / 5, key=text_of(form, "key") or None)
    return _after("/", "reported")


@router.get("/you")
def you(request: Request, site: Here) -> HTMLResponse:
    """What is believed, from what, and how to correct it."""
    return render(request, "you.html", page=site.assistant.you())


@router.post("/you/correct")
def correct(form: Posted, site: Here) -> Response:
    """The person's word on one belief."""
    site.assistant.correct(text_of(form, "subject"), _number(text_of(form, "value"), "the value") / 100)
    return _after("/you", "corrected")


@router.post("/you/withdraw")
def withdraw(form: Posted, site: Here) -> Response:
    """Takes that word back."""
    site.assistant.withdraw(_number(text_of(form, "number"), "the number"))
    return _after("/you", "withdrawn")


@router.post("/you/clear")
def clear(_: Posted, site: Here) -> Response:
    """Forgets what was learned."""
    site.assistant.clear()
    return _after("/you", "cleared")


@router.get("/data")
def data(request: Request, site: Here) -> HTMLResponse:
    """What was read from where."""
    running = [job for job in site.uploads.latest if not job.ended.is_set()]
    ended = [job for job in site.uploads.latest if job.ended.is_set() and job.found is None]
    looked = [job for job in site.uploads.latest if job.is_held]
    feed = f"{request.base_url}feed/{site.keys.feed}.ics"
    push_url = f"{str(request.base_url).rstrip('/')}{PUSH_PATH}"
    return render(
        request,
        "data.html",
        page=site.assistant.data(),
        running=running,
        ended=ended,
        looked=looked,
        feed=feed,
        push_url=push_url,
        push_key=site.keys.push,
    )


@router.post("/data/import")
def take_files(form: Posted, site: Here) -> Response:
    """Files that are handed in."""
    files = [file for file in form.getlist("files") if isinstance(file, UploadFile) and file.filename]
    if not files:
        raise InvalidValueError("no file was chosen; choose an .ics calendar or a health export and send it again")
    site.uploads.begin()
    take = site.uploads.look if text_of(form, "look") else site.uploads.take
    for file in files:
        take(file.file, file.filename or "file").ended.wait(WAIT_S / len(files))
    return _after("/data", "reading") if any(not j.ended.is_set() for j in site.uploads.latest) else _to_data()


@router.post("/data/looked/{job_id}/keep")
def keep_looked(job_id: str, _: Posted, site: Here) -> Response:
    """Reads a file that was looked into."""
    ended = site.uploads.keep(job_id).ended.wait(WAIT_S)
    return _to_data() if ended else _after("/data", "reading")


@router.post("/data/looked/{job_id}/drop")
def drop_looked(job_id: str, _: Posted, site: Here) -> Response:
    """Throws it away."""
    site.uploads.drop(job_id)
    return _after("/data", "dropped")


def _to_data() -> RedirectResponse:
    return RedirectResponse("/data", 303)


@router.post("/data/imports/{number}/undo")
def undo_import(number: int, _: Posted, site: Here) -> Response:
    """Takes a health import out again."""
    site.assistant.undo_import(number)
    return _after("/data", "removed")


@router.post("/data/calendars/{number}/remove")
def remove_calendar(number: int, _: Posted, site: Here) -> Response:
    """Takes a calendar out."""
    site.assistant.remove_calendar(number)
    return _after("/data", "removed")


@router.post("/data/accounts/{name}/forget")
def forget_account(name: str, _: Posted, site: Here) -> Response:
    """Forgets what lets Rhythm into an account."""
    site.assistant.disconnect_account(name)
    return _after("/data", "forgotten")


@router.post("/data/feeds")
def add_feed(form: Posted, site: Here) -> Response:
    """A calendar by its address."""
    source = site.assistant.add_feed(text_of(form, "url"), text_of(form, "name"))
    return _after("/data", "fetched" if source.failure is None else "not_fetched")


@router.post("/data/feeds/{number}/refresh")
def refresh_feed(number: int, _: Posted, site: Here) -> Response:
    """Fetches a calendar now."""
    source = site.assistant.refresh_feed(number)
    return _after("/data", "fetched" if source.failure is None else "not_fetched")


@router.post("/events/correct")
def correct_event(form: Posted, site: Here) -> Response:
    """The person's word on every event of a title."""
    name = text_of(form, "action")
    site.assistant.correct_event(text_of(form, "title"), None if name == "none" else parse_action(name))
    return _after("/data" if text_of(form, "from") == "data" else "/", "event")


@router.post("/events/withdraw")
def withdraw_event(form: Posted, site: Here) -> Response:
    """Takes that word back."""
    site.assistant.withdraw_event(text_of(form, "title_key"))
    return _after("/data" if text_of(form, "from") == "data" else "/", "event_withdrawn")


@router.post("/data/export")
def export(_: Posted, site: Here, after: BackgroundTasks) -> Response:
    """Everything as open files in a zip."""
    folder = TemporaryDirectory(prefix="rhythm-export-")
    after.add_task(folder.cleanup)
    target = Path(folder.name) / "rhythm-export.zip"
    site.assistant.export_to(target)
    return FileResponse(target, media_type="application/zip", filename=target.name, background=after)


@router.post("/data/erase")
def erase(form: Posted, site: Here) -> Response:
    """Everything gone, when the word was typed."""
    if text_of(form, "word").casefold() != "erase":
        raise InvalidValueError("nothing was erased: type the word erase to do it")
    site.uploads.clear()
    site.assistant.erase()
    response = _after("/data", "erased")
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


@router.get("/settings")
def settings(request: Request) -> HTMLResponse:
    """What the person has set."""
    return render(request, "settings.html", page=None)


@router.post("/settings")
def save_settings(form: Posted, site: Here) -> Response:
    """Keeps the settings."""
    names = ("morning", "afternoon", "evening", "night")
    on = site.takes_models and text_of(form, "model") == "on"
    times = SlotTimes(*(_local_time(text_of(form, name), f"the start of the {name}") for name in names))
    wanted = msgspec.structs.replace(
        site.assistant.settings,
        name=text_of(form, "name")[:60],
        zone=text_of(form, "zone"),
        slot_times=times,
        daily_cap=_number(text_of(form, "daily_cap"), "the daily cap"),
        quiet_from=_local_time(text_of(form, "quiet_from"), "the start of the quiet hours"),
        quiet_until=_local_time(text_of(form, "quiet_until"), "the end of the quiet hours"),
        model_url=text_of(form, "model_url") if on else "",
        model_name=text_of(form, "model_name") if on else "",
        notify=text_of(form, "notify") == "on",
        ask_reports=text_of(form, "ask_reports") == "on",
        shortcuts=text_of(form, "shortcuts") == "on",
    )
    key, before = text_of(form, "model_key"), site.assistant.settings
    if on and key:
        site.assistant.keeper.put(MODEL_KEY, key)
    elif not on or _server(wanted.model_url) != _server(before.model_url):
        site.assistant.keeper.drop(MODEL_KEY)  # one server's key is not sent to another
    site.assistant.save_settings(wanted)
    return _after("/settings", "saved")


@router.post("/settings/addresses")
def add_addresses(form: Posted, site: Here) -> Response:
    """Further e-mail addresses of the person's own."""
    site.assistant.save_settings(with_addresses(site.assistant.settings, text_of(form, "addresses")))
    return _after("/settings", "addresses")


@router.post("/settings/addresses/remove")
def remove_address(form: Posted, site: Here) -> Response:
    """Takes one of them out."""
    site.assistant.save_settings(without_address(site.assistant.settings, text_of(form, "address")))
    return _after("/settings", "address_removed")


def _server(address: str) -> list[str]:
    """Scheme and host of an address."""
    return address.casefold().split("/")[:3]


@router.get("/feed/{key}.ics")
def feed(key: str, site: Here) -> Response:
    """The suggestions, for a calendar program; the address is the secret."""
    if not site.keys.is_feed(key):
        return Response(status_code=404)
    return Response(site.assistant.feed(), media_type="text/calendar; charset=utf-8")
