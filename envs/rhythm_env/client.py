"""The typed client, where OpenEnv's tools look for it."""

from rhythm.sim.openenv import WeekClient

__all__ = ["WeekClient"]
