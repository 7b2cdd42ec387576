"""The weekly job's second engine: a person's LoRA adapter of the language model that suggests to them.

It reads first, fits on a model of its own, and writes at the end, so that pages are served meanwhile and an
interrupted job has changed nothing. What cannot be done is a typed error that says nothing of the person.
"""

import logging
from typing import Any, Final

from rhythm.adapt.fitting import Verdict
from rhythm.adapt.job import WeeklyResult, keep_gated
from rhythm.adapt.reading import MOST_SLOTS, Interrupt
from rhythm.lm.lora import LORA_SCHEMA, LORA_VERSION, Lora, unpack_lora
from rhythm.lm.personal import Fit, FitError, LoraOutcome, LoraPlan, kto_fit, rows_of, weekly
from rhythm.lm.prompt import HISTORY_SLOTS
from rhythm.lm.scoring import Scorer
from rhythm.store import PersonStore
from rhythm.vocab import RhythmError, SchemaError

log = logging.getLogger(__name__)

LM_JOB: Final = "lm-adapter"


class LoraEngine:
    """Fits a LoRA adapter; see `rhythm.adapt.job.Engine`."""

    job = LM_JOB
    schema = LORA_SCHEMA

    def __init__(self, scorer: Scorer, model: str, plan: LoraPlan | None = None, fit: Fit | None = None) -> None:
        """Serve everybody by one model.

        Args:
            scorer: the model in memory.
            model: its folder or name on the hub, from which fitting reads its own.
            plan: how to fit and gate.
            fit: fits an adapter; by `kto_fit` by default.
        """
        self._scorer = scorer
        self._plan = plan or LoraPlan()
        self._fit = fit or kto_fit(model, scorer.digest)

    def run(
        self, person: PersonStore, slot: int, *, behind: int = 0, interrupt: Interrupt = lambda: None
    ) -> WeeklyResult:
        """Fit an adapter to a person's answers, and deploy it if it foresees the last week clearly better.

        Raises:
            RhythmError: the extra is not installed, the model cannot be read, fitting failed, or the person was erased
                meanwhile; nothing is changed.
        """
        came_at = person.about().created_at
        first = max(0, slot - MOST_SLOTS - HISTORY_SLOTS)
        evidence = person.evidence.after(behind, first_slot=first).history.entries
        interrupt()
        rows = rows_of(self._scorer, evidence, slot, self._plan.most_answers, interrupt)
        outcome = weekly(self._scorer, rows, slot, self._plan, self._safe_fit, interrupt)
        said = sentence_of(outcome)
        if outcome.payload is None:
            return WeeklyResult(False, said, outcome.answers, outcome.held_out, None, None, None)
        return keep_gated(
            person, outcome, outcome.payload, slot=slot, base=self._scorer.digest, schema=LORA_SCHEMA,
            version=LORA_VERSION, sentence=said, came_at=came_at,
        )  # fmt: skip

    def _safe_fit(self, rows: Any, plan: LoraPlan, interrupt: Interrupt) -> bytes:
        try:
            return self._fit(rows, plan, interrupt)
        except RhythmError:
            raise
        except Exception as error:  # noqa: BLE001
            # Trainers raise what they like, and quote what they were at.
            raise FitError(f"the adapter could not be fitted ({type(error).__name__}); nothing was changed") from None


class Deployed:
    """People's adapters in use, each read once; one that cannot be used is left out, and the log says so once."""

    def __init__(self, base: str) -> None:
        """Serve a model.

        Args:
            base: its digest.
        """
        self._base = base
        self._known: dict[str, tuple[int, Lora | None]] = {}

    def of(self, person: PersonStore) -> Lora | None:
        """The adapter of a person; None for the plain model."""
        stored = person.adapters.deployed(LORA_SCHEMA)
        if stored is None:
            self._known.pop(person.person_id, None)
            return None
        number, lora = self._known.get(person.person_id, (0, None))
        if number != stored.number:
            try:
                lora = unpack_lora(stored.payload, self._base, stored.number)
            except SchemaError as error:
                lora = None
                log.warning("a personal adapter is not used: %s", error)
            self._known[person.person_id] = stored.number, lora
        return lora


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two losses with two digits, or with as many more, up to six, as show that they differ."""
    digits = next((count for count in range(2, 6) if f"{one:.{count}f}" != f"{other:.{count}f}"), 6)
    return (f"{one:.2f}", f"{other:.2f}") if one == other else (f"{one:.{digits}f}", f"{other:.{digits}f}")


def sentence_of(outcome: LoraOutcome) -> str:
    """What came of it, in one sentence for the person."""
    if outcome.verdict is Verdict.TOO_FEW:
        return (
            f"The language model was not fitted to you this week: {outcome.answers} answers before the last week and "
            f"{outcome.held_out} in it are too few."
        )
    base, own = _told_apart(outcome.base_loss, outcome.adapter_loss)
    if outcome.verdict is Verdict.NO_BETTER:
        return (
            f"The language model fitted to your answers did not foresee last week's {outcome.held_out} clearly better "
            f"(loss {own} with it, {base} without), so it stays as it was."
        )
    return (
        f"Fitted to {outcome.answers} of your answers, the language model foresaw last week's {outcome.held_out} "
        f"better (loss {own} with it, {base} without), so it suggests to you with that from now on."
    )
