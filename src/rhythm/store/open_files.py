"""The open form of a row: what stands in an export, and how it is read back.

Instants are ISO 8601 in UTC, days ISO dates, actions and meters their names, opaque bytes
base64, everything else plain JSON. A README of all fields is made from the tables.
"""

from datetime import date, datetime
from enum import IntEnum
from typing import Annotated, Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from rhythm.store.columns import Day, Instant, Json, Member, NumberedMember
from rhythm.store.tables import OWNED, people, reading_streams, readings, secrets

EXPORT_SCHEMA = "rhythm.export/1"

PERSON_FILE = "person.json"
READINGS_FILE = "readings.csv"
READINGS_FIELDS = (
    "kind", "source", "unit", "value", "start_at", "end_at", "offset_min", "external_id", "stream", "run", "detail",
)  # fmt: skip

READINGS_SINCE_V0002 = "detail"
"""A field that exports made from the first tables do not have."""

TABLE_FILES: dict[str, sa.Table] = {
    f"{table.name}.jsonl": table for table in OWNED if table is not secrets and table is not readings
}
"""Files of JSON lines and the table each holds, those that are referred to first."""


_AWARE = Annotated[datetime, msgspec.Meta(tz=True)]
_INT32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
_INT64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


def exported(table: sa.Table) -> "tuple[sa.Column[Any], ...]":
    """The columns that stand in an export: all but whose they are."""
    return tuple(column for column in table.columns if column.name != "person_id" and column is not people.c.id)


def to_open(value: Any) -> Any:
    """A value of a row as msgspec can write it: the members of numbered enumerations by name."""
    return value.name.lower() if isinstance(value, IntEnum) else value


def from_open(column: "sa.Column[Any]", value: Any) -> Any:
    """A value of an export as the column takes it.

    Raises:
        ValueError: it is none (msgspec's own errors among them).
    """
    if value is None:
        if column.nullable:
            return None
        raise ValueError("a field is empty that must not be")
    kind = column.type
    if isinstance(kind, Json):
        return msgspec.convert(value, kind.kind)
    if isinstance(kind, Member):
        return kind.members[str(value).upper()] if isinstance(kind, NumberedMember) else kind.members(value)
    return msgspec.convert(value, _plain_type(kind))


def row_from_open(table: sa.Table, fields: dict[str, Any]) -> dict[str, Any]:
    """A row from the fields of one line; a field that may be empty or has a default may be left out.

    Raises:
        ValueError: a field is missing, unknown or unfit.
        KeyError: an action or meter of an unknown name.
    """
    columns = exported(table)
    unknown = fields.keys() - {column.name for column in columns}
    if unknown:
        raise ValueError("a field is not known")
    row = {}
    for column in columns:
        if column.name not in fields and isinstance(column.default, ScalarElementColumnDefault):
            row[column.name] = column.default.arg
        else:
            row[column.name] = from_open(column, fields.get(column.name))
    return row


def readme(person_id: str, made_at: str, revision: str) -> str:
    """What stands in each file, for people."""
    parts = [
        "# Everything that Rhythm keeps of a person",
        "",
        f"Person `{person_id}`, exported {made_at}; form {EXPORT_SCHEMA}, tables {revision}.",
        "",
        "Instants are ISO 8601 in UTC, days are local, opaque bytes are base64. `manifest.json` names each file with",
        "its rows and SHA-256. `rhythm` can read the whole back. Left out on purpose: stored passwords and keys",
        "of accounts and feeds; connect those again.",
        "",
        f"## {PERSON_FILE}",
        "",
        *(f"- `{column.name}`: {column.doc}" for column in exported(people)),
        "",
        f"## {READINGS_FILE}",
        "",
        *(f"- `{name}`: {_doc_of_reading(name)}" for name in READINGS_FIELDS),
    ]
    for file, table in TABLE_FILES.items():
        parts += ["", f"## {file}", "", *(f"- `{column.name}`: {column.doc}" for column in exported(table))]
    return "\n".join(parts) + "\n"


def _doc_of_reading(name: str) -> str:
    column = readings.c[name] if name in readings.c else reading_streams.c[name]
    return str(column.doc)


def _plain_type(kind: Any) -> Any:
    if isinstance(kind, Instant | Day):
        return _AWARE if isinstance(kind, Instant) else date
    if isinstance(kind, sa.Boolean):
        return bool
    if isinstance(kind, sa.Double):
        return float
    if isinstance(kind, sa.Integer):
        return _INT64 if isinstance(kind, sa.BigInteger) else _INT32
    if isinstance(kind, sa.LargeBinary):
        return bytes
    return str
