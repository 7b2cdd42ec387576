"""A person's LoRA: it learns what they take and turn down, is gated by a week kept aside, and can be taken back."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assist.houses import Clock, house
from lm.moments import answering, asked_of, tell
from rhythm.adapt.adapter import ADAPTER_SCHEMA
from rhythm.adapt.fitting import Verdict
from rhythm.adapt.job import plan_adapters, run_due_adapter, undo_adapter
from rhythm.assist import Assistant
from rhythm.assist.places import Home
from rhythm.assist.signed import Signed
from rhythm.cli.main import main
from rhythm.lm.choosing import Loaded
from rhythm.lm.lora import LORA_SCHEMA, Lora, unpack_lora
from rhythm.lm.personal import FitError, LoraOutcome, LoraPlan, Row, answers_of, foreseen
from rhythm.lm.personal_job import LM_JOB, LoraEngine, sentence_of
from rhythm.lm.suggesting import LanguageModelSuggester
from rhythm.policy.suggest import Suggested
from rhythm.store import AdapterState, PersonStore
from rhythm.vocab import Action, Answered, Evidence, InvalidValueError, Outcome, Response, SchemaError

if TYPE_CHECKING:
    from rhythm.lm.scoring import Scorer

DAYS = 18
PLAN = LoraPlan(steps=12, rate=3e-2, least_sure=0.0)


def lived(person: PersonStore, now: int, *, contrary: bool = False) -> None:
    """Weeks of answers: meditation is always taken and deep work never, or whatever the day's number says."""
    for day in range(DAYS, 0, -1):
        for place, action in enumerate((Action.MEDITATE, Action.DEEP_WORK)):
            likes = day % 2 == 0 if contrary else action is Action.MEDITATE
            tell(person, now - 4 * day + 2 * place, action, Outcome.ACCEPTED if likes else Outcome.IGNORED)


def test_only_what_was_looked_at_and_is_over_is_learned_once() -> None:
    evidence: list[Evidence] = [
        Answered(slot, Action.LEARN, Response(outcome, moved_to))
        for slot, outcome, moved_to in (
            (5, Outcome.IGNORED, None), (1, Outcome.ACCEPTED, None), (2, Outcome.EXPIRED, None),
            (3, Outcome.UNAVAILABLE, None), (4, Outcome.RESCHEDULED, 9), (5, Outcome.ACCEPTED, None),
            (8, Outcome.ACCEPTED, None),
        )
    ]  # fmt: skip
    found = answers_of(evidence, 8, 100)
    assert [(one.slot, str(one.response.outcome)) for one in found] == [
        (1, "accepted"), (4, "rescheduled"), (5, "accepted"),
    ]  # fmt: skip
    assert [one.slot for one in answers_of(evidence, 8, 2)] == [4, 5]


def test_a_chance_is_the_share_moved_by_beta_times_the_ratio() -> None:
    rows = [Row(0, 0, "", True, -1.0)] * 2
    chances = 1.0 / (1.0 + np.exp(-foreseen(rows, np.array([0.0, 10.0]), 0.75, 0.1)))
    assert chances[0] == pytest.approx(0.75)
    assert chances[1] == pytest.approx(1.0 / (1.0 + np.exp(-(np.log(3.0) + 1.0))))
    for wrong in ({"rank": 0}, {"batch": 1}, {"beta": 0.0}, {"least_sure": -1.0}):
        with pytest.raises(InvalidValueError):
            LoraPlan(**wrong)


def test_each_verdict_is_one_sentence() -> None:
    for verdict, word in zip(Verdict, ("from now on", "too few", "stays as it was"), strict=True):
        said = sentence_of(LoraOutcome(verdict, None, 30, 9, 0.7, 0.6))
        assert word in said
        assert said.count(". ") == 0
    assert "(loss 0.60 with it, 0.70 without)" in said
    near = sentence_of(LoraOutcome(Verdict.DEPLOYED, None, 30, 9, 0.0321, 0.0318))
    assert "better (loss 0.0318 with it, 0.0321 without)" in near, "what is better is seen to be"


def _scorer(taught: Path) -> "Scorer":
    """A model that reads short questions, so that nothing here takes long."""
    for name in ("trl", "peft", "transformers"):
        pytest.importorskip(name)
    from rhythm.lm.models import digest_of_model, load_model  # noqa: PLC0415 - needs the extra
    from rhythm.lm.scoring import Scorer  # noqa: PLC0415

    return Scorer(load_model(str(taught)), digest_of_model(str(taught)), longest=220)


def versions(made: Sequence[Suggested]) -> set[str]:
    return {one.policy_version for one in made if isinstance(one, Signed)}


def test_the_adapter_raises_what_was_accepted_and_lowers_what_was_ignored_for_that_person_alone(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer = _scorer(taught)
    chooser = Loaded(scorer)
    suggester = LanguageModelSuggester(chooser)
    engine = LoraEngine(scorer, str(taught), PLAN)
    for name in ("ada", "ben"):
        (tmp_path / name).mkdir()
    with house(tmp_path / "ada", Clock()) as assistant, answering(tmp_path / "ben") as ben:
        person, now = assistant.person, assistant.context().slot
        lived(person, assistant.context().first_slot)
        question = scorer.question(now, (None,) * 5, ())
        before = scorer.score(question)
        other = person.adapters.add(b"x", base="student", schema=ADAPTER_SCHEMA, version="1", metrics={})
        person.adapters.decide(other.number, AdapterState.DEPLOYED)
        plan_adapters(person, Clock()(), LM_JOB)
        served = Assistant(assistant._store, person, Clock(), suggester=suggester, weekly=(engine,))
        assert served.fit_due() == 1
        assert served.fit_due() == 0, "once a week"
        stored = person.adapters.deployed(LORA_SCHEMA)
        assert stored is not None
        assert stored.metrics["adapter_loss"] < stored.metrics["base_loss"]
        lora = unpack_lora(stored.payload, scorer.digest, stored.number)
        with_it = scorer.score(question, lora)
        assert with_it.belief == before.belief
        assert with_it.names[Action.MEDITATE] > before.names[Action.MEDITATE]
        assert with_it.names[Action.DEEP_WORK] < before.names[Action.DEEP_WORK]
        np.testing.assert_array_equal(scorer.score(question).names, before.names)
        assert versions(suggester(asked_of(assistant))) == {f"{chooser.version} adapter-{stored.number}"}
        assert versions(suggester(asked_of(ben))) == {chooser.version}

        bad = person.adapters.add(stored.payload[:-9], base=stored.base, schema=LORA_SCHEMA, version="1", metrics={})
        person.adapters.decide(bad.number, AdapterState.DEPLOYED)
        assert versions(suggester(asked_of(assistant))) == {chooser.version}, "damaged: the plain model serves"
        for cut in (b"", b"\xff" * 40, stored.payload[:60], b"\x02\0\0\0\0\0\0\0{}", stored.payload[:-9]):
            with pytest.raises(SchemaError, match="fit it again"):
                unpack_lora(cut, scorer.digest)
        with pytest.raises(SchemaError, match="another language model"):
            unpack_lora(stored.payload, "another")
        foreign = Lora(0, lora.rank, {name: tensor[:1] for name, tensor in lora.tensors.items()})
        with pytest.raises(SchemaError, match="does not fit"):
            scorer.score(question, foreign)

        back = undo_adapter(person, LORA_SCHEMA)
        assert back is not None
        assert back.number == stored.number
        assert undo_adapter(person, LORA_SCHEMA) is None
        kept = person.adapters.deployed(ADAPTER_SCHEMA)
        assert kept is not None
        assert kept.number == other.number, "the other engine's is left alone"
    assert "loss" not in capsys.readouterr().out


def test_contradictory_and_too_few_answers_get_none_and_a_failed_fit_changes_nothing(
    taught: Path, tmp_path: Path
) -> None:
    scorer = _scorer(taught)
    with house(tmp_path, Clock()) as assistant:
        person, first = assistant.person, assistant.context().first_slot
        few = LoraEngine(scorer, str(taught), PLAN).run(person, first)
        assert (few.deployed, few.number) == (False, None)
        assert "too few" in few.sentence
        lived(person, first, contrary=True)

        def broken(*_: object) -> bytes:
            raise RuntimeError("cognition 0.43")

        with pytest.raises(FitError) as failed:
            LoraEngine(scorer, str(taught), PLAN, broken).run(person, first)
        assert "0.43" not in str(failed.value)
        plan_adapters(person, Clock()(), LM_JOB)
        assert run_due_adapter(person, Clock()(), first, "me", engine=LoraEngine(scorer, "", PLAN, broken)) is None
        job = person.jobs.get(LM_JOB)
        assert job is not None
        assert (job.failures, job.last_error) == (1, "FitError")
        left = iter(range(10))

        def interrupt() -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            LoraEngine(scorer, str(taught), PLAN).run(person, first, interrupt=interrupt)
        assert person.adapters.all() == ()
        done = LoraEngine(scorer, str(taught), LoraPlan(steps=3, rate=2e-2)).run(person, first)
        assert not done.deployed
        assert "stays as it was" in done.sentence


def test_the_person_sees_the_sentence_and_whose_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path / "data")
    with home.open_store() as store:
        person = home.person(store)
        for schema, sentence in ((ADAPTER_SCHEMA, "The student's."), (LORA_SCHEMA, "The model's.")):
            one = person.adapters.add(b"x", base="b", schema=schema, version="1", metrics={}, sentence=sentence)
            person.adapters.decide(one.number, AdapterState.DEPLOYED)
    folder = ["--folder", str(tmp_path / "data")]
    for args in (["show"], ["undo", "--engine", "lm"], ["show"], ["weekly", "--engine", "lm"]):
        with pytest.raises(SystemExit) as ended:
            main(["adapt", *args, *folder])
        assert ended.value.code == 0
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines() if "'s." in line]
    assert [(line[1], line[2], line[-1]) for line in lines] == [
        ("student", "deployed", "student's."), ("lm", "deployed", "model's."),
        ("student", "deployed", "student's."), ("lm", "rejected", "model's."),
    ]  # fmt: skip
    assert "The plain language model is used." in shown
    with home.open_store() as store:
        assert home.person(store).jobs.get(LM_JOB) is not None
    with pytest.raises(SystemExit) as ended:
        main(["adapt", "run", "--engine", "lm", *folder])
    assert ended.value.code == 2
    assert "no language model is named" in capsys.readouterr().err
