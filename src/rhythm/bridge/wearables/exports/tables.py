"""CSV as rows by normalised header: comma or semicolon, quoted line breaks, damage that costs only its place."""

import csv
import re
from collections.abc import Iterator

from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.zip_members import StreamBrokenError

MOST_COLUMNS = 2_000
MOST_RESTARTS = 1_000
_APART = re.compile(r"[^a-z0-9]+")

Row = dict[str, str]
"""A row's cells by normalised header; a cell that is empty or not there is not in it."""


def normal(header: str) -> str:
    """``Heart rate variability (ms)`` as ``heart_rate_variability_ms``: order, case and marks drift, words rarely."""
    return _APART.sub("_", header.lower()).strip("_")


def headers_of(head: bytes) -> list[str]:
    """The normalised headers of a CSV's first line."""
    line = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0][: 1 << 16].decode("utf-8", "replace")
    try:
        return [normal(cell) for cell in next(csv.reader([line], delimiter=delimiter_of(line)), [])]
    except csv.Error:
        return []


def delimiter_of(line: str) -> str:
    """The mark that separates a header line: the one that occurs most often."""
    return max(",;\t", key=line.count)


def rows(export: Export, part: Part, out: Collector) -> Iterator[Row]:
    """The rows of a CSV part; what is damaged is counted.

    Args:
        export: that holds it.
        part: the CSV.
        out: told where reading stands, and of problems.
    """
    lines = _text_lines(export, part, out)
    first = next(lines, "").removeprefix("\ufeff")
    if not first:
        return
    delimiter = delimiter_of(first)
    try:
        headers = [normal(cell) for cell in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error:
        headers = []
    if not 0 < len(headers) <= MOST_COLUMNS:
        out.problem(ProblemKind.DAMAGED)
        return
    for _ in range(MOST_RESTARTS):
        try:
            for cells in csv.reader(lines, delimiter=delimiter):
                row = {h: c.strip() for h, c in zip(headers, cells, strict=False) if c.strip()}
                if row:
                    yield row
        except csv.Error:
            out.problem(ProblemKind.DAMAGED)
        else:
            return
    out.problem(ProblemKind.TOO_DAMAGED)


def _text_lines(export: Export, part: Part, out: Collector) -> Iterator[str]:
    begin = out.at_byte
    try:
        for line in export.lines(part):
            if line is None:
                out.problem(ProblemKind.OVERSIZED)
                continue
            yield line.decode("utf-8", "replace").replace("\0", "")
            begin += len(line)
            out.at_byte = begin
    except StreamBrokenError:
        out.problem(ProblemKind.TRUNCATED)
