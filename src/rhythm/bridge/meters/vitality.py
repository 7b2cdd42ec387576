"""Vitality: how recovered the body is. Evidence: strong.

0.6 heart-rate variability + 0.2 resting heart rate + 0.2 sleep, the published open approximation of
commercial recovery scores (https://ma3u.github.io/healthgraph-agent/SCORING.md), each against the own
baseline without today. ln RMSSD against a 60-day normal range:
https://journals.humankinetics.com/view/journals/ijspp/10/8/article-p994.xml; the RMSSD and SDNN kinds are
never mixed. A resting heart rate above usual lowers it (Oura's readiness: 3 to 5 bpm); where there is none,
the lowest tenth of the night's heart rate stands for it. Sleep is minutes asleep, naps included.
"""

from rhythm.bridge.meters.baseline import WINDOW_DAYS, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.body import HRV_RMSSD, HRV_SDNN, RESTING_HR, SLEEPING_HR, body_part
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs
from rhythm.bridge.meters.sleep_need import nights_known
from rhythm.bridge.wearables.nights import ASLEEP_SIGNALS
from rhythm.vocab.meters import Meter
from rhythm.vocab.slots import day_of

HRV_WEIGHT, HEART_RATE_WEIGHT, SLEEP_WEIGHT = 0.6, 0.2, 0.2
SLEEP_FLOOR_MIN = 20.0
SLEEP_NOISE_SD = 0.2

SIGNALS_USED = frozenset({p.signal for p in (HRV_RMSSD, HRV_SDNN, RESTING_HR, SLEEPING_HR)} | set(ASLEEP_SIGNALS))


def vitality(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Vitality on a slot's day; the slots of a day differ in its age."""
    parts = [
        body_part("heart-rate variability", HRV_WEIGHT, (HRV_RMSSD, HRV_SDNN), slot, inputs),
        body_part("resting heart rate", HEART_RATE_WEIGHT, (RESTING_HR, SLEEPING_HR), slot, inputs),
        _sleep(slot, inputs),
    ]
    return combine(Meter.VITALITY, slot, inputs.start_at(slot), parts)


def _sleep(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    """Last night against the baseline of nights that the same device told.

    Devices differ by half an hour on one night, so after a change of watch the usual is learned anew. Older nights
    say nothing: day-to-day correlation is -0.04 in LifeSnaps.
    """
    name = "sleep"
    last = inputs.days.get(day_of(slot))
    if last is None or last.night is None or last.asleep_min is None:
        return Missing(name, "no sleep recorded last night", SLEEP_WEIGHT)
    nights = nights_known(slot, inputs, WINDOW_DAYS, today=False)
    of_device = [s for s in nights if s.night is not None and s.night.source == last.night.source]
    usual = baseline_of([s.asleep_min for s in of_device if s.asleep_min is not None], SLEEP_FLOOR_MIN)
    if usual is None:
        new = " with this device" if len(of_device) < len(nights) else ""
        return Missing(name, f"sleep: still learning your usual{new}, {len(of_device)} earlier nights", SLEEP_WEIGHT)
    score = shrunk(squash(usual.z(last.asleep_min)), SLEEP_NOISE_SD, reliance(usual.days))
    text = f"slept {last.asleep_min / 60:.1f} h, your usual {usual.center / 60:.1f} h ({usual.days} nights)"
    return evidence(name, text, score, SLEEP_WEIGHT, last.night.source, last.night.awake_at)
