"""Errors that Rhythm raises on purpose.

Each says what happened, the value got (never a health value, an event title or a
token), what is allowed, and what to do next. Catch ``RhythmError`` to catch them all.
"""


class RhythmError(Exception):
    """Any error that Rhythm raises on purpose."""


class InvalidValueError(RhythmError, ValueError):
    """A value outside what its field allows: a meter of 1.3, a NaN, a wrong shape."""


class UnknownNameError(RhythmError, ValueError):
    """A name that is not in the vocabulary or the registry that was asked."""

    def __init__(self, kind: str, got: object, allowed: tuple[str, ...]) -> None:
        shown = repr(got)
        if len(shown) > 80:
            shown = shown[:77] + "..."
        super().__init__(f"unknown {kind} {shown}; choose one of: {', '.join(allowed)}")
        self.kind = kind
        self.allowed = allowed


class MalformedDecisionError(RhythmError, ValueError):
    """Text that is not a decision: no legal action, or a belief that is not three digits."""


class SchemaError(RhythmError, ValueError):
    """A document of another schema, or of a version that this release does not read."""


class EpisodeOverError(RhythmError, RuntimeError):
    """A step after the last one, or before the first reset."""
