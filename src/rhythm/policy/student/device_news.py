"""What a slot of simulated lives tells the device student: no more than it tells a deployed assistant."""

import numpy as np
from numpy.typing import NDArray

from rhythm.life.living import Lives, Seen
from rhythm.policy.student.device_tokens import SlotNews, no_news


def news_of(lives: Lives, suggested: NDArray[np.int8], seen: Seen) -> SlotNews:
    """What came to be known in the slot that is over."""
    readings = seen.readings
    return SlotNews(
        np.full(len(lives), lives.slot),
        lives.known_events >= 0,
        readings.values,
        readings.sds,
        readings.slots,
        seen.recorded,
        suggested,
        seen.outcomes,
        seen.moved_to,
    )


def first_news(lives: Lives) -> SlotNews:
    """What is known as reading begins: nothing of the slots before."""
    return no_news(np.full(len(lives), lives.slot))._replace(deadline=lives.known_events >= 0)
