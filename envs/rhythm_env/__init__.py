"""The simulated week as an OpenEnv package: what OpenEnv's tools look for, on `rhythm.sim.openenv`."""

from rhythm.sim.openenv import WeekAction, WeekClient, WeekObservation, WeekState

__all__ = ["WeekAction", "WeekClient", "WeekObservation", "WeekState"]
