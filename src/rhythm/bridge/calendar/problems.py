"""Collecting problems while a calendar is read: counted per kind, first places kept."""

from rhythm.bridge.calendar.events import Problem, ProblemKind

PLACES_KEPT = 3


class ProblemLog:
    """Counts problems; its memory does not grow with their number."""

    def __init__(self) -> None:
        self._counts: dict[ProblemKind, int] = {}
        self._places: dict[ProblemKind, list[str]] = {}

    def add(self, kind: ProblemKind, where: str) -> None:
        """Count one problem at a place (``line 12``), never with a title or a value."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        places = self._places.setdefault(kind, [])
        if len(places) < PLACES_KEPT and where not in places:
            places.append(where)

    def has(self, kind: ProblemKind) -> bool:
        """Whether that kind was met."""
        return kind in self._counts

    @property
    def problems(self) -> tuple[Problem, ...]:
        """One record per kind, in the order in which the kinds were first met."""
        return tuple(Problem(kind, ", ".join(self._places[kind]), n) for kind, n in self._counts.items())
