"""Short ways to write a file and read it back."""

from pathlib import Path

from rhythm.bridge.wearables.apple import AppleHealth
from rhythm.bridge.wearables.problems import Problem, ProblemKind, merge_problems
from rhythm.bridge.wearables.records import Record

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n'
TAIL = "</HealthData>\n"


def read_all(path: Path) -> tuple[list[Record], dict[ProblemKind, Problem]]:
    """Every record of an Apple export, and its problems by kind."""
    records: list[Record] = []
    problems: list[Problem] = []
    for batch in AppleHealth().read(path):
        records += batch.records
        problems += batch.problems
    return records, {p.kind: p for p in merge_problems(problems)}


def read_text(
    folder: Path, body: str | bytes, *, head: str = HEAD, tail: str = TAIL
) -> tuple[list[Record], dict[ProblemKind, Problem]]:
    """What is read of an export with that body."""
    inner = body if isinstance(body, bytes) else body.encode()
    path = folder / "export.xml"
    path.write_bytes(head.encode() + inner + tail.encode())
    return read_all(path)


def heart_rate(value: object = 60, start: str = "2026-03-01 08:00:00 +0100", **more: str) -> str:
    """A heart rate record as Apple writes it; ``more`` replaces or adds attributes."""
    attributes = {
        "type": "HKQuantityTypeIdentifierHeartRate",
        "sourceName": "Watch",
        "unit": "count/min",
        "creationDate": start,
        "startDate": start,
        "endDate": start,
        "value": str(value),
    } | more
    return " <Record " + " ".join(f'{k}="{v}"' for k, v in attributes.items()) + "/>\n"


def sleep(stage: str, start: str, end: str, inside: str = "") -> str:
    """A sleep record as Apple writes it."""
    head = (
        f' <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" creationDate="{end}" '
        f'startDate="{start}" endDate="{end}" value="HKCategoryValueSleepAnalysis{stage}"'
    )
    return f"{head}>\n{inside} </Record>\n" if inside else f"{head}/>\n"
