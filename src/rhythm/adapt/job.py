"""The weekly job of one person: read, fit, gate, keep; and the way back.

Nothing is written before the end, so a job that is interrupted has changed nothing. Every
candidate is kept with what its gate measured; at most one of each engine is deployed. Where the student's
weights or a stored adapter cannot be read, a typed error says so and whoever asks for it goes
on without. What is fitted is an engine's affair: the student's is here, a language model's is handed in.
"""

import time
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec

from rhythm.adapt.adapter import ADAPTER_SCHEMA, ADAPTER_VERSION, Adapter, pack_adapter, unpack_adapter
from rhythm.adapt.fitting import Outcome, Verdict, fit, weekly
from rhythm.adapt.plan import AdapterPlan, plan_beside
from rhythm.adapt.reading import MOST_SLOTS, Interrupt, read_answers
from rhythm.policy.student.device_model import DeviceModel, device_model, device_weights
from rhythm.store import Adapter as StoredAdapter
from rhythm.store import AdapterState, PersonStore
from rhythm.vocab import RhythmError

JOB_NAME: Final = "adapter"
EVERY: Final = timedelta(days=7)
AGAIN: Final = timedelta(hours=6)
"""How soon a job that failed is tried again."""
LEASE: Final = timedelta(minutes=10)
RENEWED_AFTER: Final = timedelta(minutes=2)


class WeeklyResult(msgspec.Struct, frozen=True):
    """What a weekly job came to.

    Attributes:
        deployed: whether a new adapter is used from now on.
        sentence: why or why not, for the person.
        answers, held_out: answers before the last week, and in it.
        base_loss, adapter_loss: mean log loss over that week; None where there were too few answers.
        number: of the stored adapter; None where none was fitted.
    """

    deployed: bool
    sentence: str
    answers: int
    held_out: int
    base_loss: float | None
    adapter_loss: float | None
    number: int | None


def run_weekly(
    person: PersonStore, slot: int, *, behind: int = 0, interrupt: Interrupt = lambda: None,
    model: DeviceModel | None = None, plan: AdapterPlan | None = None,
) -> WeeklyResult:  # fmt: skip
    """Fit an adapter to a person's answers, and deploy it if it foresees the last week better.

    Args:
        person: whose.
        slot: the present slot number.
        behind: number of the entry behind which evidence counts.
        interrupt: called between slots; what it raises ends the job, which has changed nothing.
        model: the student; the shipped one by default.
        plan: how to adapt it; the shipped one by default.

    Raises:
        SchemaError, DamagedModelError: the student or its plan cannot be read; nothing is changed.
        UnknownPersonError: they were erased meanwhile; nothing is kept.
    """
    came_at = person.about().created_at
    model = model or device_model()
    plan = plan or shipped_plan(model)
    evidence = person.evidence.after(behind, first_slot=max(0, slot - MOST_SLOTS))
    answers = read_answers(model, (one.evidence for one in evidence.entries), slot, interrupt)
    outcome = weekly(answers, slot, plan)
    said = sentence_of(outcome)
    if outcome.verdict is Verdict.TOO_FEW:
        return WeeklyResult(False, said, outcome.answers, outcome.held_out, None, None, None)
    kept = outcome.adapter or fit(answers.between(0, slot), plan)
    return keep_gated(
        person, outcome, pack_adapter(kept), slot=slot, base=plan.base, schema=ADAPTER_SCHEMA, version=ADAPTER_VERSION,
        sentence=said, came_at=came_at,
    )  # fmt: skip


class Gated(Protocol):
    """What came of a weekly fit, whatever was fitted; see `rhythm.adapt.fitting.Outcome`."""

    @property
    def verdict(self) -> Verdict:
        """Whether it is to be used, or why not."""
        ...

    @property
    def answers(self) -> int:
        """How many there were before the last week."""
        ...

    @property
    def held_out(self) -> int:
        """How many in it."""
        ...

    @property
    def base_loss(self) -> float:
        """Mean log loss over that week without it."""
        ...

    @property
    def adapter_loss(self) -> float:
        """The same with it."""
        ...


def keep_gated(
    person: PersonStore, outcome: Gated, payload: bytes, *, slot: int, base: str, schema: str, version: str,
    sentence: str, came_at: datetime,
) -> WeeklyResult:  # fmt: skip
    """Put a candidate on record with what its gate measured, and use it or not as the gate says.

    Args:
        person: whose.
        outcome: of the fit.
        payload: the candidate.
        slot: the present slot number.
        base: what it belongs to.
        schema: form of the payload.
        version: of that form.
        sentence: why it is used or not, for the person.
        came_at: when the person came, read before what it was fitted to.

    Raises:
        UnknownPersonError: they were erased since; nothing is kept.
    """
    metrics = {
        "slot": slot,
        "answers": outcome.answers,
        "held_out": outcome.held_out,
        "base_loss": outcome.base_loss,
        "adapter_loss": outcome.adapter_loss,
    }
    stored = person.adapters.add(
        payload, base=base, schema=schema, version=version, metrics=metrics, sentence=sentence, came_at=came_at
    )
    deployed = outcome.verdict is Verdict.DEPLOYED
    person.adapters.decide(stored.number, AdapterState.DEPLOYED if deployed else AdapterState.REJECTED)
    return WeeklyResult(
        deployed, sentence, outcome.answers, outcome.held_out, outcome.base_loss, outcome.adapter_loss, stored.number
    )


class Engine(Protocol):
    """Something that fits a person's adapter every week.

    Attributes:
        job: name of its job in the store, which is there where the person asked for it.
        schema: form of its adapters.
    """

    job: str
    schema: str

    def run(
        self, person: PersonStore, slot: int, *, behind: int = 0, interrupt: Interrupt = lambda: None
    ) -> WeeklyResult:
        """Fit, gate and keep; see `run_weekly`.

        Raises:
            RhythmError: it cannot be done, and nothing was changed.
        """
        ...


class StudentEngine:
    """The device student's."""

    job = JOB_NAME
    schema = ADAPTER_SCHEMA

    def run(
        self, person: PersonStore, slot: int, *, behind: int = 0, interrupt: Interrupt = lambda: None
    ) -> WeeklyResult:
        """See `run_weekly`."""
        return run_weekly(person, slot, behind=behind, interrupt=interrupt)


class LeaseLostError(RhythmError):
    """Another process has taken a job over, as this one was at it for too long."""


def plan_adapters(person: PersonStore, at: datetime | None, job: str = JOB_NAME) -> None:
    """Sets when an adapter is first fitted, and every week from then on; None for no more."""
    if at is None:
        person.jobs.delete(job)
    else:
        person.jobs.plan(job, at)


def run_due_adapter(
    person: PersonStore, now_at: datetime, slot: int, owner: str, *, behind: int = 0, engine: Engine | None = None
) -> WeeklyResult | None:
    """Do the weekly job where it was asked for and is due.

    Returns:
        What came of it; None where it is not due, somebody else is at it, or it failed (its job says how).

    Args:
        person: whose.
        now_at: the moment, aware.
        slot: the slot that it falls in.
        owner: who holds the lease meanwhile.
        behind: see `run_weekly`.
        engine: who fits; the student's by default.
    """
    engine = engine or StudentEngine()
    if person.jobs.get(engine.job) is None or person.jobs.claim(engine.job, owner, LEASE) is None:
        return None
    try:
        done = engine.run(person, slot, behind=behind, interrupt=_keeping(person, engine.job, owner))
    except RhythmError as error:
        person.jobs.finish(engine.job, owner, now_at + AGAIN, type(error).__name__)
        return None
    person.jobs.finish(engine.job, owner, now_at + EVERY)
    return done


def _keeping(person: PersonStore, job: str, owner: str) -> Interrupt:
    """Renews the lease every two minutes of work."""
    again_s = time.monotonic() + RENEWED_AFTER.total_seconds()

    def keep() -> None:
        nonlocal again_s
        if time.monotonic() < again_s:
            return
        again_s = time.monotonic() + RENEWED_AFTER.total_seconds()
        if not person.jobs.renew(job, owner, LEASE):
            raise LeaseLostError("the weekly job is done by another process by now; this one's work was dropped")

    return keep


def deployed_adapter(person: PersonStore, model: DeviceModel, plan: AdapterPlan) -> Adapter | None:
    """The adapter that is in use, None where none is.

    Raises:
        SchemaError: it is damaged, or of another version or student; serve without it.
    """
    stored = person.adapters.deployed(ADAPTER_SCHEMA)
    return None if stored is None else unpack_adapter(stored.payload, model.card.name, len(plan.directions))


def undo_adapter(person: PersonStore, schema: str = ADAPTER_SCHEMA) -> StoredAdapter | None:
    """Take the adapter that is in use back; the one that was used before it is used again, if there is one.

    Args:
        person: whose.
        schema: of the engine's adapters; those of others stay as they are.

    Returns:
        The one that is used now; None where that is the plain model.
    """
    now = person.adapters.deployed(schema)
    if now is None:
        return None
    person.adapters.decide(now.number, AdapterState.REJECTED)
    before = [
        one
        for one in person.adapters.all()
        if one.schema == schema and one.state is AdapterState.RETIRED and one.number < now.number
    ]
    if not before:
        return None
    person.adapters.decide(before[-1].number, AdapterState.DEPLOYED)
    return person.adapters.deployed(schema)


def shipped_plan(model: DeviceModel) -> AdapterPlan:
    """How adapters of the shipped student are made; errors as `rhythm.adapt.plan.read_plan`."""
    return plan_beside(device_weights(), model.card.name, model.card.width)


def sentence_of(outcome: Outcome) -> str:
    """What came of it, in one sentence for the person."""
    if outcome.verdict is Verdict.TOO_FEW:
        return (
            f"Nothing was fitted to you this week: {outcome.answers} answers before the last week and "
            f"{outcome.held_out} in it are too few."
        )
    base, own = (f"{loss:.2f}" for loss in (outcome.base_loss, outcome.adapter_loss))
    if outcome.verdict is Verdict.NO_BETTER:
        return (
            f"A correction fitted to your answers did not foresee last week's {outcome.held_out} answers clearly "
            f"better (loss {own} with it, {base} without), so it is not used."
        )
    return (
        f"Fitted to {outcome.answers} of your answers, it foresaw last week's {outcome.held_out} better "
        f"(loss {own} with it, {base} without), so it is kept as yours, though no suggestion is made by it yet."
    )
