"""A model behind an endpoint as teacher: many weeks at once, within a budget, each ended once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import Final

import msgspec

from rhythm.lm.endpoint import Model, NoAnswerError
from rhythm.lm.episode import Episode
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import Status, Trajectory, Usage, Who
from rhythm.vocab import InvalidValueError

MILLION: Final = 1_000_000


class Prices(msgspec.Struct, frozen=True):
    """What a million tokens cost, in any currency: those that are read and those that are written."""

    prompt: float = 0.0
    completion: float = 0.0

    def __post_init__(self) -> None:
        if not (self.prompt >= 0.0 and self.completion >= 0.0):
            raise InvalidValueError("prices are numbers from 0")

    def cost(self, usage: Usage) -> float:
        """What the counted tokens cost; what is unaccounted for is not in it."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / MILLION


class Purse:
    """What was spent of a budget, for several threads.

    Args:
        prices: of tokens.
        budget: most that may be spent; None without end.
        spent: what was spent before.
    """

    def __init__(self, prices: Prices, budget: float | None, spent: Usage) -> None:
        if budget is not None and not (prices.prompt > 0.0 and prices.completion > 0.0):
            raise InvalidValueError("a budget needs the prices of a million tokens; give --price-in and --price-out")
        if budget is not None and not budget >= 0.0:
            raise InvalidValueError("a budget is a number from 0")
        self._prices, self._budget, self._spent = prices, budget, spent
        self._lock = Lock()

    def pay(self, usage: Usage) -> None:
        """Note what a question took."""
        with self._lock:
            self._spent = self._spent + usage

    @property
    def empty(self) -> bool:
        """Whether nothing more may be asked. Questions already on their way can still go beyond."""
        with self._lock:
            return self._budget is not None and self._prices.cost(self._spent) >= self._budget


def teach_weeks(
    weeks: Sequence[tuple[int, Trajectory | None]],
    who: Who,
    model: Model,
    purse: Purse,
    concurrency: int,
    on_week: Callable[[Trajectory], None],
) -> None:
    """Play each week, several at once.

    Args:
        weeks: seeds, and what was lived of them before.
        who: which people.
        model: who answers.
        purse: what may be spent.
        concurrency: weeks at once.
        on_week: called, from this thread alone, with each week as it ends, is given up or is stopped.

    Raises:
        NoAnswerError: the server refuses every question, as with a wrong key; weeks in progress are stopped first.
    """
    stop = Event()
    hopeless: list[NoAnswerError] = []

    def play(seed: int, before: Trajectory | None) -> Trajectory | None:
        return _week(seed, before, who, model, purse, stop, hopeless)

    with ThreadPoolExecutor(concurrency) as pool:
        running = [pool.submit(play, seed, before) for seed, before in weeks]
        try:
            for ended in as_completed(running):
                running.remove(ended)
                if (week := ended.result()) is not None:
                    on_week(week)
        except BaseException:
            stop.set()
            for rest in list(running):
                if not rest.cancel() and (week := rest.result()) is not None:
                    on_week(week)
            raise
    if hopeless:
        raise hopeless[0]


def _week(
    seed: int,
    before: Trajectory | None,
    who: Who,
    model: Model,
    purse: Purse,
    stop: Event,
    hopeless: list[NoAnswerError],
) -> Trajectory | None:
    """One week as far as it comes; None where nothing was answered since."""
    if stop.is_set() or purse.empty:
        return None
    episode = Episode(seed, who, before.steps if before else ())
    usage = before.usage if before else Usage()
    status, failure = Status.COMPLETED, None
    while not episode.done:
        if stop.is_set() or purse.empty:
            status = Status.STOPPED
            break
        try:
            answer = model.ask(episode.conversation.messages)
        except NoAnswerError as error:
            usage += error.usage
            purse.pay(error.usage)
            if error.hopeless:
                hopeless.append(error)
                stop.set()
                status = Status.STOPPED
            else:
                status, failure = Status.FAILED, str(error)
            break
        usage += answer.usage
        purse.pay(answer.usage)
        episode.answer(answer.text)
    if status is Status.STOPPED and usage == (before.usage if before else Usage()):
        return None
    return Trajectory(seed, who, model.endpoint.on_record, PROMPT_VERSION, status, tuple(episode.steps), usage, failure)
