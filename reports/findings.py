"""findings.json: the parts that a run's rows point to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from fixtures.analysis.blame import Finding, findings
from fixtures.analysis.signals import Row
from fixtures.analysis.topology import Topology
from fixtures.model.parts import MISSING
from reports.jsonfile import read_json, write_json
from reports.record import Record
from reports.runfolder import RunFolder, RunFolderError


def find(record: Iterable[Record], topology: Topology) -> list[Finding]:
    """The findings of a record, best first."""
    return findings([_row(row) for row in record], topology)


def write_findings(run: RunFolder, found: Sequence[Finding]) -> None:
    write_json(run.findings, [asdict(one) for one in found])


def read_findings(run: RunFolder) -> list[Finding]:
    """Raises RunFolderError where the file is not a list of findings."""
    try:
        return [
            Finding(
                part=one["part"],
                label=one["label"],
                kind=one["kind"],
                confidence=one["confidence"],
                signals=tuple(one["signals"]),
                because=tuple(one["because"]),
                suspects=tuple(one["suspects"]),
                action=one["action"],
                repeat=tuple(one["repeat"]),
            )
            for one in read_json(run.findings)
        ]
    except (TypeError, KeyError) as error:
        raise RunFolderError(f"{run.findings}: not a list of findings: {error!r}") from error


def _row(row: Record) -> Row:
    return Row(
        id=row.id,
        gate=row.gate,
        metric=row.metric,
        subject=row.subject,
        verdict=row.verdict,
        reason=row.reason,
        warned=row.warned,
        absent=row.value == MISSING,
        evidence=row.evidence,
    )
