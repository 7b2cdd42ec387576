"""All five meters of a slot, and which signals each of them uses."""

from rhythm.bridge.meters import cognition, connection, progress, serenity, vitality
from rhythm.bridge.meters.estimates import MeterEstimate
from rhythm.bridge.meters.inputs import MeterInputs
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.meters import Meter

USES: dict[Meter, frozenset[Signal]] = {
    Meter.VITALITY: vitality.SIGNALS_USED,
    Meter.COGNITION: cognition.SIGNALS_USED,
    Meter.PROGRESS: progress.SIGNALS_USED,
    Meter.SERENITY: serenity.SIGNALS_USED,
    Meter.CONNECTION: connection.SIGNALS_USED,
}
"""The signals of each meter, as its own module names them; the coverage table says the same from the signals' side."""


def meters_at(slot: int, inputs: MeterInputs) -> tuple[MeterEstimate, ...]:
    """The five estimates of a slot, in the order of `Meter`.

    Args:
        slot: slot number; things that happen from its start on are not used, except that a
            signal that comes once a day belongs to its whole day.
        inputs: 60 days before it, and its own day, as far as they are known.
    """
    return (
        vitality.vitality(slot, inputs),
        cognition.cognition(slot, inputs),
        progress.progress(slot, inputs),
        serenity.serenity(slot, inputs),
        connection.connection(slot, inputs),
    )
