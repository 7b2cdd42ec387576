"""The face of one person's service: everything that pages, commands and rehearsals ask of it."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import RLock

import msgspec

from rhythm.adapt.job import Engine, StudentEngine
from rhythm.assist import accounts, schedule
from rhythm.assist.answering import give_answer
from rhythm.assist.beliefs import You, clear_beliefs, correct_belief, evidence_counts, withdraw_correction, you_of
from rhythm.assist.context import Context
from rhythm.assist.corrections import correct_title, withdraw_title
from rhythm.assist.data import Data, data_of, remove_calendar, undo_import
from rhythm.assist.erasing import begin_anew
from rhythm.assist.feed import feed_of
from rhythm.assist.feeds import OpenedCalendar, add_account_calendar, add_feed, refresh_feed
from rhythm.assist.files import Imported, OnProgress, import_file
from rhythm.assist.insights import Insight, insights_of
from rhythm.assist.keeper import Keeper, Token
from rhythm.assist.keeping_up import keep_up
from rhythm.assist.learning import Learned, learn
from rhythm.assist.learning import OnProgress as OnLearning
from rhythm.assist.preview import Preview, preview_file
from rhythm.assist.pushed import take_posted
from rhythm.assist.suggesting import Planner, Suggester
from rhythm.assist.today import Today, today_of
from rhythm.assist.trends import Trend, trends_of
from rhythm.bridge.accounts.credentials import Credentials
from rhythm.store import Answer, CalendarSource, ImportRun, PersonSettings, PersonStore, ReportedMeter, Store
from rhythm.store.export import export_person
from rhythm.vocab.actions import Action
from rhythm.vocab.meters import Meter
from rhythm.vocab.responses import Outcome

LEARNING = "learning"
"""The last step of an import, beside those of `rhythm.assist.files.Imported`."""


def system_now_at() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


class Assistant:
    """One person's assistant.

    Attributes:
        person: their part of the store.
        keeper: of their secrets.
        on_learning: told how far learning is, where there is much to learn.
        open_session: opens an account's session; another than the usual one in tests.
    """

    def __init__(
        self,
        store: Store,
        person: PersonStore,
        clock: Callable[[], datetime] = system_now_at,
        *,
        token: Token = "",
        private_feeds: bool = False,
        suggester: Suggester | None = None,
        weekly: Sequence[Engine] = (),
    ) -> None:
        """Serve a person.

        Args:
            store: where they are kept.
            person: their part of it.
            clock: what says now.
            token: what secrets are encrypted with; without one no address or key can be kept.
            private_feeds: whether calendars may be fetched from private networks.
            suggester: who suggests; the planner where nobody is given.
            weekly: who fits adapters, beside the device student; see `fit_due`.
        """
        self.person = person
        self.keeper = Keeper(person, token)
        self.on_learning: OnLearning | None = None
        self.open_session: OpenedCalendar = accounts.open_session
        self._private_feeds = private_feeds
        self._suggester = suggester or Planner()
        self._weekly = tuple(weekly)
        self._store = store
        self._clock = clock
        self._learned: Learned | None = None
        self._context: Context | None = None
        self._you: tuple[object, You] | None = None
        self._insights: tuple[object, tuple[Insight, ...]] = (None, ())
        self._lock = RLock()

    @property
    def settings(self) -> PersonSettings:
        """What they have set."""
        return self.person.about().settings

    def context(self) -> Context:
        """What is known of them at this moment."""
        self._context = Context(self.person, self._clock(), known=self._context)
        return self._context

    def today(self) -> Today:
        """Where they stand, what to do in open slots, and why."""
        with self._lock:  # two pages at once must not make the day's suggestions twice
            return today_of(self.context(), self.learn, self._suggester)

    def learn(self, context: Context) -> Learned:
        """What is believed of them now."""
        with self._lock:
            known, self._learned = self._learned, None  # it is changed in place: cut off, it fits no snapshot
            self._learned = learn(self.person, context.slot, known, self.on_learning)
            return self._learned

    def answer(
        self,
        suggestion: int,
        outcome: Outcome,
        *,
        moved_to: int | None = None,
        at: datetime | None = None,
        channel: str = "page",
        key: str | None = None,
    ) -> Answer:
        """Records an answer; when it returns, the answer is on disk.

        Args:
            suggestion: number of the suggestion.
            outcome: accepted, ignored or rescheduled; the other two are the clock's to give.
            moved_to: slot number; the next open slot where a rescheduled one has none.
            at: when they tapped, for a tap that arrives late.
            channel: where the tap came from.
            key: the tap's own key; the same key is recorded once.

        Raises:
            InvalidValueError: an outcome that a person does not give, or a slot that is not ahead.
            StoreError: no such suggestion, or it has an answer.
        """
        return give_answer(self.context(), suggestion, outcome, moved_to=moved_to, at=at, channel=channel, key=key)

    def undo(self, suggestion: int, *, channel: str = "page", key: str | None = None) -> Answer:
        """Takes back the answer that holds; what was learned from it is forgotten.

        Raises:
            StoreError: no such suggestion, or nothing to undo.
        """
        return self.person.answers.undo(suggestion, channel=channel, key=key)

    def report(self, meter: Meter, value: float, *, key: str | None = None) -> ReportedMeter:
        """Records how they say a meter stands.

        Raises:
            InvalidValueError: not in [0, 1].
        """
        return self.person.reports.add(self.context().slot, meter, value, key=key)

    def you(self) -> You:
        """What is believed of them, from what, and what they said of it."""
        context = self.context()
        keep_up(context)
        learned = self.learn(context)
        said = self.person.corrections.all()
        key = None if learned.snapshot is None else (learned.snapshot, said, context.state)
        if key is None or self._you is None or self._you[0] != key:
            self._you = key, you_of(context, learned, evidence_counts(self.person))
        return self._you[1]

    def correct(self, subject: str, value: float) -> None:
        """Takes their word on a belief over what was learned.

        Raises:
            UnknownNameError: no such belief.
            InvalidValueError: not in [0, 1].
        """
        correct_belief(self.person, subject, value)

    def withdraw(self, correction: int) -> None:
        """Takes a correction back.

        Raises:
            UnknownEntryError: none of that number holds.
        """
        withdraw_correction(self.person, correction)

    def clear(self) -> None:
        """Forgets everything that was learned so far; learning begins anew."""
        with self._lock:
            clear_beliefs(self.person)

    def data(self) -> Data:
        """What was read from where, and what was wrong with it."""
        return data_of(self.context())

    def import_file(
        self,
        path: Path,
        *,
        name: str = "",
        progress: OnProgress | None = None,
        on_stored: Callable[[Imported], None] | None = None,
    ) -> Imported:
        """Reads a calendar or health export into the store and learns from it.

        Args:
            path: the file.
            name: what the person calls it.
            progress: told how far reading is.
            on_stored: told what was read once all of it is on disk; learning follows, and nothing of the file is lost
                if it is cut off.

        Raises:
            UnknownFileError, WearableFileError, CalendarError: see `rhythm.assist.files.import_file`.
        """
        done = import_file(self.person, path, self._clock(), name=name, progress=progress, keeper=self.keeper)
        if on_stored is not None:
            on_stored(done)
        begun = time.process_time()
        self.learn(self.context())  # here, so that no page waits for years to be learned
        return msgspec.structs.replace(done, took_s=done.took_s | {LEARNING: time.process_time() - begun})

    def preview_file(self, path: Path, *, name: str = "") -> Preview:
        """Looks into a file and stores nothing; see `rhythm.assist.preview.preview_file`."""
        return preview_file(self.person, path, self._clock(), name)

    def take_posted(self, body: bytes) -> Imported:
        """Reads what the app Health Auto Export has posted; see `rhythm.assist.pushed.take_posted`."""
        with self._lock:  # the app posts many stretches at once
            return take_posted(self.person, body, self._clock())

    def undo_import(self, number: int) -> None:
        """Takes out what a health import added.

        Raises:
            UnknownEntryError: no such import.
        """
        undo_import(self.context(), number)

    def remove_calendar(self, number: int) -> None:
        """Takes a calendar out.

        Raises:
            UnknownEntryError: no such calendar.
        """
        remove_calendar(self.context(), number)

    def add_feed(self, url: str, name: str = "") -> CalendarSource:
        """Takes a calendar's address and fetches it; where that fails it stays and is tried again by itself.

        Raises:
            InvalidValueError: no address of a calendar, or one that is there already.
            SecretError: secrets cannot be kept here.
        """
        source = add_feed(self.person, self.keeper, url, name, self._clock())
        schedule.plan_feed(self.person, source.number, self._clock() + schedule.EVERY)
        return self.refresh_feed(source.number)

    def connect_calendar(self, kind: str, origin: str, secret: str, name: str = "") -> CalendarSource:
        """Takes a CalDAV or Google account and reads it; where that fails it stays and is tried again by itself.

        Args:
            kind: `rhythm.assist.feeds.CALDAV` or `GOOGLE`.
            origin: what may be shown of where it is.
            secret: what lets Rhythm in, as JSON.
            name: what the person calls it.

        Raises:
            SecretError: secrets cannot be kept here.
        """
        source = add_account_calendar(self.person, self.keeper, kind, origin, secret, self._clock(), name=name)
        schedule.plan_feed(self.person, source.number, self._clock() + schedule.EVERY)
        return self.refresh_feed(source.number)

    def refresh_feed(self, number: int) -> CalendarSource:
        """Fetches a calendar now; what it holds says whether that failed.

        Raises:
            UnknownEntryError: no such feed.
        """
        return refresh_feed(
            self.context(), self.keeper, number, allow_private=self._private_feeds, opened=self.open_session
        )

    def run_due(self, *, fits: bool = True) -> int:
        """Does what is due by itself, fitting the student if `fits`; how many pieces, keeping up with time aside."""
        self.keep_up()  # though nobody looks for weeks, and before what may take long
        done = schedule.run_due(self.person, self._clock(), self.refresh_feed)
        done += schedule.run_due_accounts(self.person, self._clock(), self._read_account)
        return done + (self._fit((StudentEngine(),)) if fits else 0)

    def keep_up(self) -> None:
        """Brings what is derived up to now."""
        with self._lock:
            keep_up(self.context())

    def fit_due(self) -> int:
        """Has the engines that were handed in fit what is due; how many did.

        It may take long, so it is called apart from `run_due`. It holds no lock: pages are served meanwhile.
        """
        return self._fit(self._weekly)

    def _fit(self, engines: Sequence[Engine]) -> int:
        return schedule.fit_adapters(self.person, self._clock(), self.context().slot, engines)

    def connect_account(self, name: str, credentials: Credentials) -> None:
        """Takes what lets Rhythm into an account with a vendor; the next `run_due` reads it.

        Raises:
            UnknownNameError: no such account.
            SecretError: secrets cannot be kept here.
        """
        accounts.keep_credentials(self.keeper, accounts.account_named(name).name, credentials)
        schedule.plan_account(self.person, name, self._clock())

    def read_account(self, name: str, *, first_days: int | None = None) -> ImportRun:
        """Reads what is new in an account now; see `rhythm.assist.accounts.read_account`.

        Raises:
            BeingReadError: another process is at it.
        """
        read = partial(self._read_account, first_days=first_days)
        return schedule.read_account_now(self.person, self._clock(), name, read)

    def _read_account(self, name: str, on_page: Callable[[], object], first_days: int | None = None) -> ImportRun:
        return accounts.read_account(
            self.context(), self.keeper, name, first_days=first_days, opened=self.open_session, on_page=on_page
        )

    def disconnect_account(self, name: str) -> None:
        """Forgets what lets Rhythm into an account; what was read stays.

        Raises:
            UnknownNameError: no such account.
        """
        accounts.disconnect(self.person, self.keeper, name)

    def correct_event(self, title: str, action: Action | None) -> None:
        """Takes their word on every event of a title; None for no activity.

        Raises:
            InvalidValueError: an empty title.
        """
        correct_title(self.context(), title, action)

    def withdraw_event(self, key: str) -> None:
        """Takes their word on a title back.

        Raises:
            UnknownEntryError: there is none.
        """
        withdraw_title(self.context(), key)

    def save_settings(self, settings: PersonSettings) -> None:
        """Replaces the settings; what depends on them is worked out, or fetched, again."""
        before = self.settings
        self.person.save_settings(settings)
        if (before.zone, before.slot_times) != (settings.zone, settings.slot_times):
            keep_up(self.context(), force=True)
        if before.own_addresses != settings.own_addresses:
            schedule.hasten_feeds(self.person, self._clock())

    def trends(self, days: int = 28) -> tuple[Trend, ...]:
        """Each meter by day, oldest first."""
        return trends_of(self.context(), days)

    def feed(self) -> bytes:
        """The suggestions of the last and coming days as an iCalendar feed."""
        return feed_of(self.context())

    def insights(self) -> tuple[Insight, ...]:
        """A few plain sentences about their own weeks, where there is enough to say them."""
        context = self.context()
        key = (context.state, self.person.about().last_number)
        if self._insights[0] != key:
            self._insights = key, insights_of(context)
        return self._insights[1]

    def export_to(self, target: Path) -> None:
        """Everything as open files.

        Args:
            target: a folder that is not there yet, or a file that ends in ``.zip``.

        Raises:
            ExportError: it is there already or cannot be written.
        """
        export_person(self._store, self.person.person_id, target)

    def erase(self) -> None:
        """Erases everything of them for good; what is left is an empty record of the same name.

        Raises:
            EraseIncompleteError: another process holds old pages; close it and erase again.
        """
        with self._lock:
            self._learned = self._you = self._context = None
            begin_anew(self._store, self.person)
