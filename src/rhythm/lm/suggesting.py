"""A language model as the assistant's suggester: the model chooses, the person's posterior explains.

Of the free slots those are taken in which something helps most, as the posterior sees it, and none in which nothing
does; which action, is drawn from the model's chances, so what is on record is the chance with which it was drawn. Gain,
alternatives and reason are the posterior's. Whatever keeps the model from choosing, the planner suggests instead and
signs for it; the log names the kind of failure and nothing of the person.
"""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from rhythm.assist.learning import cleared_at
from rhythm.assist.signed import Signed, signed
from rhythm.assist.suggesting import Asked, Planner, Suggester, sensed
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.lm.choosing import Chances, Chooser
from rhythm.lm.endpoint import NoAnswerError
from rhythm.lm.prompt import HISTORY_SLOTS
from rhythm.lm.real_life import history_before
from rhythm.policy.choices import drawn
from rhythm.policy.reasons import reason_for, what_it_tells
from rhythm.policy.suggest import Outlook, Suggested, Weighed
from rhythm.vocab import ACTIONS, Evidence, MalformedDecisionError

log = logging.getLogger(__name__)

REST_S: Final = 300.0
"""For so long a model that failed is not asked again, so that no page waits for a dead server twice."""
PATIENCE_S: Final = 20.0
"""Once a page has waited so long, its other slots are the planner's."""


class LanguageModelSuggester:
    """Suggests what a language model chooses.

    Attributes:
        chooser: the model.
    """

    name = "lm"

    def __init__(
        self, chooser: Chooser, planner: Suggester | None = None, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask a model.

        Args:
            chooser: the model.
            planner: suggests where the model does not; the assistant's usual one by default.
            clock_s: seconds that only grow.
        """
        self.chooser = chooser
        self._planner = planner or Planner()
        self._clock_s = clock_s
        self._rests_until_s = -np.inf

    @property
    def version(self) -> str:
        """Of the model, without anybody's adapter."""
        return self.chooser.version

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        now, person = asked.context.slot, asked.context.person
        if self._clock_s() < self._rests_until_s:
            return self._planned(asked)
        outlook = Outlook(asked.learner(asked.context).posterior, now, asked.free, {**asked.usual, **asked.planned})
        weighed = {slot: outlook.weigh(slot) for slot in asked.free}
        helped = [slot for slot in asked.free if weighed[slot].gains.max() > 0.0]
        wanted = sorted(helped, key=lambda slot: (-weighed[slot].gains.max(), slot))[: asked.most]
        behind = cleared_at(person.corrections.holding())
        known = person.evidence.after(behind, first_slot=max(0, now - HISTORY_SLOTS)).history.entries
        key = scramble_seeds(np.array([asked.rng_key], np.int64), Stream.POLICY)
        made: list[Suggested] = []
        waits_until_s = self._clock_s() + PATIENCE_S
        for slot in wanted:
            found = self._chances(asked, slot, known) if self._clock_s() < waits_until_s else None
            if found is not None:
                made.append(self._drawn(asked, outlook, slot, weighed[slot], found, float(uniforms(key, slot)[0])))
        if len(made) < len(wanted):
            chosen = {one.slot: one.action for one in made}
            left = [slot for slot in (wanted if made else asked.free) if slot not in chosen]
            rest = asked._replace(free=left, planned={**asked.planned, **chosen}, most=len(wanted) - len(made))
            made += self._planned(rest)
        return sorted(made, key=lambda one: one.slot)

    def _planned(self, asked: Asked) -> list[Suggested]:
        made, by = self._planner(asked), self._planner
        return [one if isinstance(one, Signed) else signed(one, by.name, by.version) for one in made]

    def _chances(self, asked: Asked, slot: int, known: Sequence[Evidence]) -> Chances | None:
        """The model's chances for a slot; None where it fails, which is logged by its kind."""
        if self._clock_s() < self._rests_until_s:
            return None
        try:
            meters = sensed(asked.context.meters())
            return self.chooser.chances(asked.context.person, slot, meters, history_before(known, slot))
        except MalformedDecisionError:
            log.warning("the language model's answer could not be read; the planner suggests for that slot")
        except NoAnswerError as error:
            self._rest(str(error))
        except Exception as error:  # noqa: BLE001 - whatever a model and its libraries raise, the person is served
            self._rest(type(error).__name__)
        return None

    def _rest(self, why: str) -> None:
        self._rests_until_s = self._clock_s() + REST_S
        log.warning("the language model failed (%s); for %d minutes the planner suggests", why, REST_S // 60)

    def _drawn(
        self, asked: Asked, outlook: Outlook, slot: int, weighed: Weighed, found: Chances, uniform: float
    ) -> Signed:
        action = ACTIONS[int(drawn(found.chances, uniform))]
        reason = reason_for(outlook.draws, slot, action, asked.shown)
        sentence, evidence = reason.sentence, reason.evidence
        if weighed.gains[action] <= 0.0:
            sentence, evidence = (
                f"A language model suggests {action.noun}; what is known of you does not ask for it.",
                (),
            )
        order = sorted(ACTIONS, key=lambda one: -weighed.worths[one])
        made = Suggested(
            slot, action, float(found.chances[action]), float(weighed.gains[action]), sentence, evidence,
            tuple((one, float(weighed.worths[one]) / weighed.slots) for one in order),
            what_it_tells(outlook.draws, weighed.accepts[:, action], float(weighed.told[action])),
        )  # fmt: skip
        return signed(made, self.name, found.version)
