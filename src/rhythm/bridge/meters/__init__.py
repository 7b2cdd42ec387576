"""The five meters from day summaries and calendar bookkeeping, each against the person's own baseline."""

from rhythm.bridge.meters.estimates import STRENGTHS, Evidence, EvidenceStrength, MeterEstimate, readings
from rhythm.bridge.meters.five import USES, meters_at
from rhythm.bridge.meters.inputs import CalendarDay, MeterInputs

__all__ = [
    "STRENGTHS", "USES", "CalendarDay", "Evidence", "EvidenceStrength", "MeterEstimate", "MeterInputs", "meters_at",
    "readings",
]  # fmt: skip
