"""A real Chromium at the real pages: by keyboard, without JavaScript, dark, narrow, offline; accessible by axe.

Screenshots for people to look at are written to ``RHYTHM_SCREENSHOTS``, or to the test's own folder.
"""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from assist.houses import Clock, house, introvert_files, lived_house
from rhythm.assist import Assistant
from rhythm.vocab import Outcome
from rhythm.web.security import Keys
from web.sites import served

Role: TypeAlias = Literal["link", "button"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SENT = """() => new Promise(done => {
    navigator.serviceWorker.addEventListener('message', event => done(event.data), {once: true});
    navigator.serviceWorker.controller.postMessage('send');
})"""
PAGES = {"today": "/", "you": "/you", "data": "/data", "settings": "/settings"}
MOST_TABS = 150
CONTROLLED = """async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise(done => setTimeout(done, 50));
}"""


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The compiled code is made before any page is timed: in a fresh clone that takes longer than a page may."""
    with lived_house(tmp_path_factory.mktemp("compiled"), Clock()) as assistant:
        assistant.today()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        told = "the browser tests need chromium; on Debian: apt-get install chromium"
        if os.environ.get("RHYTHM_TEST_BROWSER"):
            pytest.fail(told)
        pytest.skip(told)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("RHYTHM_SCREENSHOTS") or tmp_path / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def opened_page(browser: Browser, link: str, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**{"service_workers": "block", **options})
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(link)
    yield page
    context.close()


def tab_to(page: Page, role: Role, name: str) -> None:
    """Presses Tab until the thing of that role and name has the focus: what the keyboard cannot reach fails here."""
    wanted = page.get_by_role(role, name=name).first
    wanted.wait_for()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if wanted.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"the keyboard does not reach {role} {name!r}")


def press(page: Page, role: Role, name: str) -> None:
    tab_to(page, role, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.parametrize(
    ("width", "scheme", "javascript"), [(1280, "light", True), (320, "dark", True), (320, "light", False)]
)
def test_by_keyboard_from_files_to_what_was_learned(
    browser: Browser, tmp_path: Path, shots: Path, width: int, scheme: str, javascript: bool
) -> None:
    options = {
        "viewport": {"width": width, "height": 900}, "color_scheme": scheme, "java_script_enabled": javascript,
        "reduced_motion": "reduce",
    }  # fmt: skip
    mark = f"{width}-{scheme}-{'script' if javascript else 'plain'}"
    with (
        house(tmp_path, Clock()) as assistant,
        served(assistant, tmp_path, free_port()) as link,
        opened_page(browser, link, **options) as page,
    ):
        press(page, "link", "Choose files")
        page.locator("#files").set_input_files(list(introvert_files()))  # the system's own dialog is not ours to test
        press(page, "button", "Read it")
        page.get_by_text("readings read").wait_for()
        page.screenshot(path=shots / f"data-{mark}.png", full_page=True)
        press(page, "link", "You")
        before = page.locator(".beliefs").inner_text()
        press(page, "link", "Today")
        page.screenshot(path=shots / f"today-{mark}.png", full_page=True)
        press(page, "button", "Accept")
        page.get_by_text("You can undo it below").wait_for()
        press(page, "button", "Ignore")
        press(page, "link", "You")
        assert page.locator(".beliefs").inner_text() != before
        page.screenshot(path=shots / f"you-{mark}.png", full_page=True)
        press(page, "link", "Today")
        page.screenshot(path=shots / f"answered-{mark}.png", full_page=True)
        press(page, "button", "Undo")
        press(page, "button", "Undo")
        press(page, "button", "Later")
        page.get_by_text("moved to").wait_for()
        outcomes = [event.outcome for event in assistant.person.answers.events()]
        assert outcomes == [Outcome.ACCEPTED, Outcome.IGNORED, None, None, Outcome.RESCHEDULED]


def test_no_page_is_wider_than_a_narrow_screen_and_every_target_is_large_enough(
    browser: Browser, tmp_path: Path
) -> None:
    small = """() => [...document.querySelectorAll('a, button, summary, input:not([type=hidden]), select')]
        .filter(n => n.checkVisibility() && !n.closest('p, .skip, label.check'))
        .filter(n => n.getBoundingClientRect().height < 43.5).map(n => n.outerHTML.slice(0, 90))"""
    with (
        lived_house(tmp_path, Clock()) as assistant,
        served(assistant, tmp_path, free_port()) as link,
        opened_page(browser, link, viewport={"width": 320, "height": 700}) as page,
    ):
        for path in PAGES.values():
            page.goto(link.partition("/?")[0] + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
            assert page.evaluate(small) == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, scheme: str) -> None:
    axe = Axe()
    with (
        lived_house(tmp_path, Clock()) as assistant,
        served(assistant, tmp_path, free_port()) as link,
        opened_page(browser, link, color_scheme=scheme) as page,
    ):
        assistant.correct("social", 0.2)
        for path in PAGES.values():
            page.goto(link.partition("/?")[0] + path)
            page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
            found = axe.run(page)
            assert found.violations_count == 0, found.generate_report()


def test_keys_act_and_can_be_switched_off(browser: Browser, tmp_path: Path) -> None:
    with (
        lived_house(tmp_path, Clock()) as assistant,
        served(assistant, tmp_path, free_port()) as link,
        opened_page(browser, link) as page,
    ):
        with page.expect_navigation():
            page.keyboard.press("a")
        assert len(assistant.person.answers.events()) == 1
        with page.expect_navigation():
            page.keyboard.press("4")
        page.get_by_label("Single keys act").uncheck()
        page.get_by_role("button", name="Keep these").click()
        page.get_by_text("Settings kept").wait_for()
        page.keyboard.press("1")
        page.wait_for_timeout(300)
        assert page.url.partition("?")[0].endswith("/settings")


def kept_page(browser: Browser, link: str) -> Page:
    """*Today* in a context of its own, kept by the worker so that it opens without the service."""
    page = browser.new_context(service_workers="allow").new_page()
    page.goto(link)
    page.evaluate(CONTROLLED)
    page.reload()  # so that the page itself is kept
    return page


def accept_offline(page: Page) -> None:
    """Accepts a suggestion without the service, and waits until what the worker says by itself was said."""
    page.get_by_role("button", name="Accept").first.click()
    page.get_by_text("1 answer(s) wait on this device").wait_for()
    page.wait_for_timeout(1000)


def test_an_answer_given_offline_arrives_once(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with lived_house(tmp_path, Clock()) as assistant:
        with served(assistant, tmp_path, port) as link:
            page = kept_page(browser, link)
        page.get_by_role("button", name="Accept").first.click()
        page.get_by_text("wait on this device").wait_for()
        assert assistant.person.answers.events() == ()
        with served(assistant, tmp_path, port):
            for _ in range(3):
                page.evaluate("navigator.serviceWorker.controller.postMessage('send')")
            _wait_for_answer(page, assistant)
            page.wait_for_timeout(500)
        page.context.close()
        assert [event.channel for event in assistant.person.answers.events()] == ["offline"]


def test_an_answer_given_offline_waits_where_it_is_not_taken_and_is_told_where_it_is_refused(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    with lived_house(tmp_path, Clock()) as assistant:
        with served(assistant, tmp_path, port) as link:
            page = kept_page(browser, link)
        accept_offline(page)
        with served(assistant, tmp_path, port, token="a-token-of-the-demonstration"):  # noqa: S106 - it opens nothing else
            assert page.evaluate(SENT) == {"waiting": 1, "sent": 0, "refused": 0}
        waiting = [card.number for card in assistant.today().waiting]
        for number in waiting:
            assistant.answer(number, Outcome.IGNORED)
        with served(assistant, tmp_path, port):
            assert page.evaluate(SENT) == {"waiting": 0, "sent": 0, "refused": 1}
            page.get_by_text("1 answer(s) that you gave offline were refused").wait_for()
            assert page.evaluate(SENT) == {"waiting": 0, "sent": 0, "refused": 0}, "told once"
        page.context.close()
        assert [event.outcome for event in assistant.person.answers.events()] == [Outcome.IGNORED] * len(waiting)


def test_an_answer_given_offline_to_what_was_erased_is_let_go_and_told(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with lived_house(tmp_path, Clock()) as assistant:
        with served(assistant, tmp_path, port) as link:
            page = kept_page(browser, link)
        accept_offline(page)
        assistant.erase()
        with served(assistant, tmp_path, port):
            assert page.evaluate(SENT) == {"waiting": 0, "sent": 0, "refused": 1}
        page.context.close()


def test_pages_kept_of_one_person_are_let_go_once_anothers_are_open(browser: Browser, tmp_path: Path) -> None:
    """Two who share a browser: without the service nobody sees what was kept for the other; what waits still waits."""
    port, context = free_port(), browser.new_context(service_workers="allow")
    page = context.new_page()
    with lived_house(tmp_path, Clock()) as kim:
        with served(kim, tmp_path, port) as link:
            page.goto(link)
            page.evaluate(CONTROLLED)
            for path in ("/you", "/"):
                page.goto(f"{link.partition('/?')[0]}{path}")
        page.get_by_role("button", name="Accept").first.click()
        page.get_by_text("1 answer(s) wait on this device").wait_for()
        (tmp_path / "lee").mkdir()
        with house(tmp_path / "lee", Clock()) as lee:
            with served(lee, tmp_path / "lee", port, token="a-token-of-somebody-else") as link:  # noqa: S106
                page.goto(link)
                page.wait_for_function("caches.open('rhythm-1').then(kept => kept.match('/you')).then(you => !you)")
                page.goto(f"{link.partition('/?')[0]}/settings")
            page.goto(f"{link.partition('/?')[0]}/settings")
            assert page.get_by_role("heading", name="Settings").is_visible(), "Lee's own was kept"
            page.goto(f"{link.partition('/?')[0]}/you")
            assert page.get_by_role("heading", level=1).inner_text() != "You", "Kim's was let go"
            assert page.locator("body").get_attribute("data-person") == Keys("a-token-of-somebody-else", port).person
        with served(kim, tmp_path, port) as link:
            page.goto(link)
            _wait_for_answer(page, kim)
        context.close()
        assert [event.channel for event in kim.person.answers.events()] == ["offline"]


def _wait_for_answer(page: Page, assistant: Assistant) -> None:
    for _ in range(100):
        if assistant.person.answers.events():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the answer that was given offline never arrived")
