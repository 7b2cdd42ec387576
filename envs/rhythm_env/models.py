"""What travels over the wire, where OpenEnv's tools look for it."""

from rhythm.sim.openenv import StructuredDecision, WeekAction, WeekObservation, WeekState

__all__ = ["StructuredDecision", "WeekAction", "WeekObservation", "WeekState"]
