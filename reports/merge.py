"""One record from the parts of all processes, the same whatever their number and order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from fixtures.model.profile_schema import GATES
from fixtures.model.verdicts import WORST_FIRST
from reports.jsonfile import plain, write_lines
from reports.manifest import Expected
from reports.record import Record, read_record
from reports.runfolder import RunFolder

Place = tuple[int, int, str, str, str, str]


def merge_records(run: RunFolder, manifest: Sequence[Expected]) -> list[Record]:
    """Merge all parts into record.jsonl, in manifest order, and give its rows.

    May be repeated at any time: the parts stay. A line that a killed process left torn is passed
    over; the manifest tells that its row is missing.
    """
    rows = [row for part in run.record_parts() for row in read_record(part, torn_tail=True)]
    merged = ordered(deduplicated(rows), manifest)
    write_lines(run.record, (row.as_json() for row in merged))
    return merged


def deduplicated(rows: Iterable[Record]) -> list[Record]:
    """One row per id: the worst verdict, then the one with a warning, then the first."""
    kept: dict[str, Record] = {}
    for row in rows:
        known = kept.get(row.id)
        if known is None or _badness(row) < _badness(known):
            kept[row.id] = row
    return list(kept.values())


def ordered(rows: Iterable[Record], manifest: Sequence[Expected]) -> list[Record]:
    """Manifest order, then by conditions; what the manifest does not name comes last, by gate."""
    places: dict[tuple[str, str], int] = {}
    for index, row in enumerate(manifest):
        places.setdefault((row.metric, row.subject), index)
    return sorted(rows, key=lambda row: _place(row, places, len(manifest)))


def _place(row: Record, places: dict[tuple[str, str], int], after: int) -> Place:
    gate = GATES.index(row.gate) if row.gate in GATES else len(GATES)
    conditions = json.dumps(plain(row.conditions), sort_keys=True)
    at = places.get((row.metric, row.subject), after)
    return at, gate, row.metric, row.subject, conditions, row.id


def _badness(row: Record) -> tuple[int, bool, str]:
    return WORST_FIRST.index(row.verdict), not row.warned, row.time
