"""The context curve: how well answers are foreseen, and what suggestions bring, by how many days were read before.

Everyone lives five weeks under random suggestions. Then, knowing only the last so many days of
them, a learner foresees the answers of the next two days, and an assistant suggests for a week.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.person import PersonPosterior
from rhythm.bench import statistics
from rhythm.bench.living_assistants import Kind, evidence_of
from rhythm.bench.rows import Row
from rhythm.distill.adapter_table import evaluation_lives, training_table
from rhythm.distill.device_record import FIRST_EVALUATION_SEED, heard, log_losses, personal
from rhythm.distill.device_rivals import beta_logits, posterior_logits
from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives, Seen
from rhythm.life.populations import Population, sample_people
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import SlotNews, no_news
from rhythm.policy.suggest import suggest
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, WEEK_STEPS

Floats = NDArray[np.float64]
OnPerson = Callable[[str, int], None]

CONTEXTS: Final = (0, 1, 3, 7, 14, 30)
"""Days that are read."""
BEFORE_DAYS: Final = 35
"""Days lived before."""
ASKED_DAYS: Final = 2
"""Days whose answers are foreseen."""
_ALL: Final = Kind()
CURVE_LEARNERS: Final = ("base-rate", "beta-bernoulli", "student", "posterior")
CURVE_ASSISTANTS: Final = ("student", "posterior")


def answer_curve(
    model: DeviceModel, people: int, stored: int, on_person: OnPerson = lambda _l, _n: None
) -> dict[str, Floats]:
    """Mean log loss of each person's answers by learner and context, shape (contexts, people); NaN where not known.

    Args:
        model: the student.
        people: how many.
        stored: of how many of them the particle posterior is asked too.
        on_person: called after each of those, for each context.
    """
    lives = evaluation_lives(people, BEFORE_DAYS + ASKED_DAYS)
    begins = BEFORE_DAYS * SLOTS_PER_DAY
    stop = begins + ASKED_DAYS * SLOTS_PER_DAY
    general, rate, strength = training_table()
    found = {name: np.full((len(CONTEXTS), people), np.nan) for name in CURVE_LEARNERS}
    for place, days in enumerate(CONTEXTS):
        first = begins - days * SLOTS_PER_DAY
        logits = {
            "base-rate": np.full((people, stop - first), np.log(rate / (1.0 - rate))),
            "beta-bernoulli": beta_logits(lives, first, stop, general, strength if days else 1e9),
            "student": heard(model, lives, first, stop, memory=days > 0).accepts.astype(np.float64),
            "posterior": np.full((people, stop - first), np.nan),
        }
        for row in range(min(stored, people)):
            logits["posterior"][row] = posterior_logits(lives, row, first, stop, memory=days > 0)
            on_person(f"{days} days", 1)
        asked = slice(begins, stop)
        for name, each in logits.items():
            scored = log_losses(each[:, begins - first :], lives.accepted[:, asked])
            found[name][place] = personal(scored, lives.looked[:, asked])
    return found


def wellbeing_curve(
    model: DeviceModel, people: int, stored: int, on_person: OnPerson = lambda _l, _n: None
) -> dict[str, Floats]:
    """Mean wellbeing of everyone's next week by assistant and context, shape (contexts, people); one row for random.

    The arguments are those of `answer_curve`; the first ``stored`` live with the particle posterior too.
    """
    begun, few = _begun(people), _begun(min(stored, people))
    found = {"random": _week(begun, _AnySuggestion(begun.keys))[None]}
    for name in CURVE_ASSISTANTS:
        found[name] = np.empty((len(CONTEXTS), people))
    for place, days in enumerate(CONTEXTS):
        found["student"][place] = _week(begun, _StudentSuggests(model, begun, days))
        found["posterior"][place] = np.nan
        found["posterior"][place, : len(few.lives)] = _week(few, _PosteriorSuggests(few, days))
        on_person(f"{days} days", len(few.lives))
    return found


@dataclass(frozen=True)
class _Begun:
    """Lives at the end of the weeks before, and what reached an assistant in them."""

    lives: Lives
    news: list[SlotNews]
    suggested: list[NDArray[np.int8]]
    seen: list[Seen]
    keys: NDArray[np.uint64]


def _begun(people: int) -> _Begun:
    seeds = np.arange(FIRST_EVALUATION_SEED, FIRST_EVALUATION_SEED + people)
    lives = Lives(seeds, sample_people(seeds, Population.PEAKED), sample_styles(seeds, StyleRange.BENCHMARK))
    begun = _Begun(lives, [first_news(lives)], [], [], scramble_seeds(seeds, Stream.POLICY))
    anything = _AnySuggestion(begun.keys)
    for _ in range(BEFORE_DAYS * SLOTS_PER_DAY):
        suggested = anything.suggest(lives.slot)
        begun.suggested.append(suggested)
        begun.seen.append(lives.offer(suggested))
        begun.news.append(news_of(lives, suggested, begun.seen[-1]))
    return begun


class _Suggests(Protocol):
    def suggest(self, slot: int) -> NDArray[np.int8]: ...

    def learn(self, lives: Lives, suggested: NDArray[np.int8], seen: Seen) -> None: ...


def _week(begun: _Begun, assistant: _Suggests) -> Floats:
    """Mean wellbeing of everyone in a week with an assistant, shape (people,)."""
    lives = copy.deepcopy(begun.lives)
    total = np.zeros(len(lives))
    for _ in range(WEEK_STEPS):
        suggested = assistant.suggest(lives.slot)
        assistant.learn(lives, suggested, lives.offer(suggested))
        total += lives.wellbeing
    return total / WEEK_STEPS


class _AnySuggestion:
    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self._keys = keys

    def suggest(self, slot: int) -> NDArray[np.int8]:
        drawn: NDArray[np.int8] = (uniforms(self._keys, slot) * ACTION_COUNT).astype(np.int8)
        return drawn

    def learn(self, lives: Lives, suggested: NDArray[np.int8], seen: Seen) -> None:
        """Learns nothing."""


class _StudentSuggests:
    """Suggests what its value head thinks best."""

    def __init__(self, model: DeviceModel, begun: _Begun, days: int) -> None:
        self._reader = model.reader(len(begun.lives))
        first, *rest = begun.news[len(begun.news) - 1 - days * SLOTS_PER_DAY :]
        read = [no_news(first.slots)._replace(deadline=first.deadline), *rest]
        for one in read[:-1]:
            self._reader.read(one)
        self._news = read[-1]

    def suggest(self, slot: int) -> NDArray[np.int8]:
        chosen: NDArray[np.int8] = self._reader.read(self._news).values.argmax(axis=1).astype(np.int8)
        return chosen

    def learn(self, lives: Lives, suggested: NDArray[np.int8], seen: Seen) -> None:
        self._news = news_of(lives, suggested, seen)


class _PosteriorSuggests:
    """The assistant's own way: a particle posterior for each person, and `suggest`."""

    def __init__(self, begun: _Begun, days: int) -> None:
        self._keys = [int(key >> np.uint64(2)) for key in begun.keys]
        self._posteriors = [PersonPosterior.prior() for _ in self._keys]
        first = len(begun.seen) - days * SLOTS_PER_DAY
        for suggested, seen in zip(begun.suggested[first:], begun.seen[first:], strict=True):
            self._learn(suggested, seen)

    def suggest(self, slot: int) -> NDArray[np.int8]:
        chosen = np.full(len(self._keys), -1, np.int8)
        for row, (posterior, key) in enumerate(zip(self._posteriors, self._keys, strict=True)):
            made = suggest(posterior, slot=slot, free=[slot], planned={}, rng_key=key)
            if made:
                chosen[row] = made[0].action
        return chosen

    def learn(self, lives: Lives, suggested: NDArray[np.int8], seen: Seen) -> None:
        self._learn(suggested, seen)

    def _learn(self, suggested: NDArray[np.int8], seen: Seen) -> None:
        for row, posterior in enumerate(self._posteriors):
            posterior.add(evidence_of(suggested, seen, row, _ALL))


def curve_rows(answers: dict[str, Floats], wellbeing: dict[str, Floats]) -> list[Row]:
    """Losses and wellbeing by context, with 95 % intervals, people resampled."""
    rows = []
    for metric, table in (("loss", answers), ("wellbeing", wellbeing)):
        for name, each in table.items():
            for days, values in zip(CONTEXTS if len(each) > 1 else (0,), each, strict=True):
                rows.append(_row(f"{metric}/{name}/{days}-days", values))
        for days, ours, theirs in zip(CONTEXTS, table["student"], table["posterior"], strict=True):
            rows.append(_row(f"{metric}-less-posterior/student/{days}-days", ours - theirs))
    return rows


def _row(name: str, values: Floats) -> Row:
    one = statistics.mean(values[np.isfinite(values)])
    return Row(name, one.value, one.low, one.high, one.n)
