"""The two ends of a run folder: what is written before anything is judged, and what after it.

open_run(run, inventory, manifest, command=sys.argv, started=now)    # INCOMPLETE
…
closed = close_run(run, ended=now)         # outcome, findings, sign-off
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from fixtures.analysis.blame import Finding
from fixtures.analysis.topology import Topology, topology
from fixtures.model.inventory import Inventory
from reports.findings import find, write_findings
from reports.manifest import Expected, read_manifest, write_manifest
from reports.merge import merge_records
from reports.outcome import RunResult, judge_run
from reports.parts import read_parts, write_parts
from reports.run import RunInfo, read_run, run_info, with_result, write_run
from reports.runfolder import RunFolder
from reports.signoff import sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A run that has its outcome."""

    run: RunFolder
    info: RunInfo
    result: RunResult
    findings: tuple[Finding, ...]
    topology: Topology


def open_run(
    run: RunFolder,
    inventory: Inventory,
    manifest: Sequence[Expected],
    *,
    command: Sequence[str],
    started: datetime,
    seed: int = 0,
    faults: Sequence[str] = (),
    waivers: Path | None = None,
    replay: Path | None = None,
    lab_transport: str = "",
) -> RunInfo:
    """Write manifest, parts and run.json (INCOMPLETE) before any hardware is touched."""
    write_manifest(run, manifest)
    write_parts(run, topology(inventory))
    info = run_info(
        inventory,
        command=command,
        started=started,
        seed=seed,
        faults=faults,
        waivers=waivers,
        replay=replay,
        lab_transport=lab_transport,
    )
    write_run(run, info)
    return info


def close_run(run: RunFolder, *, ended: datetime, unfinished: str = "") -> Closed:
    """Merge the record, hold it against the manifest, write outcome, findings and sign-off.

    `unfinished` says why the run did not get to its end; it is then never ACCEPTED. It may be
    called again, after a crash for instance.
    """
    manifest, parts = read_manifest(run), read_parts(run)
    record = merge_records(run, manifest)
    result = judge_run(record, manifest, unfinished=unfinished)
    found = find(record, parts)
    judged = {row.metric for row in record}
    info = read_run(run)
    info = replace(
        with_result(info, result, ended=ended, unfinished=unfinished),
        limits_not_judged=[name for name in info.limits_not_judged if name not in judged],
    )
    write_findings(run, found)
    write_run(run, info)
    sign(run, result, record)
    return Closed(run=run, info=info, result=result, findings=tuple(found), topology=parts)
