"""Tells Gymnasium of ``rhythm/Week-v0``: ``gymnasium.make("rhythm.sim.registration:rhythm/Week-v0")``.

Importing this module registers the environment. Nothing of it is loaded before it is made.
"""

from typing import Final

from rhythm.sim.errors import needs_extra

with needs_extra("gymnasium", "sim"):
    import gymnasium

WEEK_ID: Final = "rhythm/Week-v0"


def register() -> None:
    """Register the environment with Gymnasium; more than once does no harm."""
    if WEEK_ID not in gymnasium.registry:
        gymnasium.register(
            id=WEEK_ID,
            entry_point="rhythm.sim.gym_env:WeekEnv",
            vector_entry_point="rhythm.sim.vector_env:WeekVectorEnv",
        )


register()
