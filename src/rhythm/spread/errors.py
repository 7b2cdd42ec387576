"""What may go wrong with whoever does the items of a run; an item's own error is raised as it is."""

from rhythm.vocab import RhythmError


class SpreadError(RhythmError):
    """A run cannot be spread, or cannot go on; the items that were done are kept."""


class MissingClusterError(SpreadError, ImportError):
    """A cluster was asked for, and the extra ``cluster`` is not installed."""


class NoSchedulerError(SpreadError, ConnectionError):
    """No scheduler answers at the address, or it went away."""


class NoWorkersError(SpreadError, ConnectionError):
    """The scheduler has no worker."""


class OtherCodeError(SpreadError):
    """A worker's Rhythm, libraries or kind of machine are not those here, or it does several items at once."""


class WorkerLostError(SpreadError):
    """A process or worker ended while it did an item, and so did those who tried it again."""


class ItemError(SpreadError):
    """An item failed with an error that cannot be sent; says its kind and its words."""
