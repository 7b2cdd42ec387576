"""What every request shares: the assistant, the keys, the uploads, the templates."""

import secrets
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.datastructures import FormData

from rhythm.assist.beliefs import ONE_OF
from rhythm.assist.coverage import PARTS as COVERAGE_PARTS
from rhythm.assist.service import Assistant
from rhythm.vocab.actions import ACTIONS
from rhythm.web.charts import interval_bar, sparkline
from rhythm.web.leaving import leaving
from rhythm.web.security import ForbiddenError, Keys
from rhythm.web.uploads import Uploads

STATES = {
    "running": "being read, so far ",
    "done": "",
    "failed": "given up; it had brought ",
    "undone": "taken out again; it had brought ",
}
"""What stands before the readings of an import, by its state."""
ARROWS = {"up": "↑", "down": "↓", "level": "→"}
ARROW_WORDS = {"up": "higher than yesterday", "down": "lower than yesterday", "level": "as yesterday"}

_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.globals.update(
    sparkline=sparkline,
    interval_bar=interval_bar,
    arrows=ARROWS,
    arrow_words=ARROW_WORDS,
    states=STATES,
    actions=ACTIONS,
    one_of=ONE_OF,
    coverage_parts=COVERAGE_PARTS,
    new_key=secrets.token_hex,
)
templates = Jinja2Templates(env=_environment)


SITE = "rhythm.site"
"""Where a request's scope has its site, if it has one of its own."""


class Site:
    """One person's site.

    Attributes:
        assistant: theirs.
        keys: what opens it.
        uploads: files that are handed in.
        suggest_url: server of the language model that suggests; empty where there is none.
        kept_at: host of a service that somebody else runs for them; empty on their own machine.
    """

    def __init__(
        self, assistant: Assistant, keys: Keys, uploads: Uploads, suggest_url: str = "", kept_at: str = ""
    ) -> None:
        self.assistant = assistant
        self.keys = keys
        self.uploads = uploads
        self.suggest_url = suggest_url
        self.kept_at = kept_at

    @property
    def takes_models(self) -> bool:
        """Whether they may name a language model for titles: the network of others is not theirs to ask in."""
        return not self.kept_at


def site_of(request: Request) -> Site:
    """The site that a request is for: its own, or the one that the application has for all."""
    site: Site = request.scope.get(SITE) or request.app.state.site
    return site


Here = Annotated[Site, Depends(site_of)]


async def posted_form(request: Request) -> FormData:
    """The form of a request from our own pages.

    Raises:
        ForbiddenError: it lacks the pages' second word.
    """
    form = await request.form()
    offered = form.get("csrf", "")
    if not isinstance(offered, str) or not site_of(request).keys.is_csrf(offered):
        raise ForbiddenError("this form is not from here or is too old; open the page again and repeat it")
    return form


Posted = Annotated[FormData, Depends(posted_form)]


def text_of(form: FormData, name: str, default: str = "") -> str:
    """A field's text, trimmed."""
    value = form.get(name, default)
    return value.strip() if isinstance(value, str) else default


def render(request: Request, template: str, **contents: Any) -> HTMLResponse:
    """A page with what every page has."""
    site = site_of(request)
    settings = site.assistant.settings
    shared = {
        "csrf": site.keys.csrf,
        "person": site.keys.person,
        "demonstration": settings.demonstration,
        "shortcuts": settings.shortcuts,
        "settings": settings,
        "leaving": leaving(settings, site.suggest_url),
        "kept_at": site.kept_at,
        "takes_models": site.takes_models,
        "notice": request.query_params.get("done", ""),
        "notices": NOTICES,
        "here": template.partition(".")[0],
    }
    page = templates.TemplateResponse(request, template, {**shared, **contents})
    page.headers["X-Rhythm-Person"] = site.keys.person
    return page


READ_ANEW = "Calendars that are fetched are read anew within a minute; Data names the files to give again."
NOTICES = {
    "answered": "Kept. You can undo it below.",
    "undone": "Taken back, and forgotten.",
    "reported": "Kept. It counts as your own word.",
    "saved": "Settings kept.",
    "addresses": f"Kept. {READ_ANEW}",
    "address_removed": f"Taken out. {READ_ANEW}",
    "corrected": "Kept. Your word counts over what was learned.",
    "withdrawn": "Your word was taken back.",
    "cleared": "Everything that was learned is forgotten. Learning begins anew.",
    "fetched": "The calendar was fetched.",
    "not_fetched": "The calendar could not be fetched; below it stands why.",
    "event": "Kept. Every event of that title counts so from now on.",
    "event_withdrawn": "Taken back; the rules decide again.",
    "removed": "Taken out, with everything that was worked out from it.",
    "dropped": "Thrown away; nothing of it was kept.",
    "forgotten": "The login is forgotten; what was read stays.",
    "erased": "Everything is erased.",
    "reading": "The file is kept and is being read; this page shows how it goes.",
}
"""What a page says after something was done; only these words, never text from an address."""
