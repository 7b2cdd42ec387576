"""One number of a table, with what it takes to trust it: the row of every result that a command prints."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rhythm.vocab import SchemaError


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named number.

    Attributes:
        name: ``metric/policy/condition`` in the benchmark, one word in other tables.
        value: the number; None where it could not be worked out (``note`` says why).
        low, high: 95 % interval, where the value was sampled.
        n: how many were sampled.
        band: what the value must lie in, both ends included; None at an open end.
        real: the figure of real people that the value stands beside, where there is one.
        ok: whether it does; None where nothing is demanded.
        note: one sentence, where the number needs it.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    band: tuple[float | None, float | None] | None = None
    ok: bool | None = None
    real: float | None = None
    note: str = ""

    @property
    def metric(self) -> str:
        """The first part of the name."""
        return self.name.split("/")[0]


def demanded(row: Row, low: float | None, high: float | None) -> Row:
    """The row with the band its value must lie in, and whether it does."""
    value = row.value
    ok = value is not None and (low is None or value >= low) and (high is None or value <= high)
    return msgspec.structs.replace(row, band=(low, high), ok=ok)


def as_rows(rows: Iterable[Row | Mapping[str, Any]]) -> list[Row]:
    """Rows from rows, or from mappings with the same fields.

    Raises:
        SchemaError: a mapping that is not a row.
    """
    try:
        return [row if isinstance(row, Row) else msgspec.convert(row, Row) for row in rows]
    except (msgspec.ValidationError, UnicodeError) as error:
        raise SchemaError(f"not a row: {error}") from None
