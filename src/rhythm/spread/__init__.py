"""Long runs in many pieces: teaching weeks, the benchmark of living, rehearsals, spread over processes or machines.

A run is a list of *items*. Each is a function of this package and what it is called with, depends on nothing but its
seeds, and gives back what it found; the process that gives out the items writes the files, so whoever does an item
needs no disk of ours, and a run that was cut short goes on with the items whose files are missing.

Items are pickled and sent, to other machines too, so they hold seeds, names and weights of networks, and what comes
back is of simulated people. Of a real person, who lives in the assistant's database, only the id may become an item.
"""

from rhythm.spread.crew import Crew
from rhythm.spread.errors import (
    ItemError,
    MissingClusterError,
    NoSchedulerError,
    NoWorkersError,
    OtherCodeError,
    SpreadError,
    WorkerLostError,
)
from rhythm.spread.opening import CLUSTER_VARIABLE, opened

__all__ = [
    "CLUSTER_VARIABLE",
    "Crew",
    "opened",
    "ItemError",
    "MissingClusterError",
    "NoSchedulerError",
    "NoWorkersError",
    "OtherCodeError",
    "SpreadError",
    "WorkerLostError",
]
