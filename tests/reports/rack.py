"""A hand-made inventory of one rack with two trays, and runs on it, for the tests of reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from fixtures.model.measurement import Limit, Measurement, Scalar
from fixtures.model.verdicts import Verdict
from reports.close import Closed, close_run, open_run
from reports.manifest import Expected
from reports.record import RecordWriter
from reports.runfolder import RunFolder

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTS = ("r01-ct01", "r01-ct02")
GPUS = tuple(f"{host}/gpu{gpu}" for host in HOSTS for gpu in range(2))

_INVENTORY = """\
schema: 1
name: mini
product: nvl72
profile: mini
lab: {lab}
parts: parts.csv
hosts:
  - names: r01-ct[01-02]
    kind: compute
    gpus: {{gpu0: "0008:01:00.0", gpu1: "0009:01:00.0"}}
racks:
  - name: r01
    hosts: r01-ct[01-02]
acceptance:
  gates: [reach, nvlink]
"""
_PARTS = """\
part,label,serial
r01-ct01,U21,SN-A
r01-ct02,U22,SN-B
r01-ct01/gpu0,slot 1,SN-G0
"""
_PROFILE = """\
profile: mini
about: the least that has a gate, a prerequisite and an optional metric
as_of: "2026-01-01"
gates: [reach, nvlink, nccl]
metrics:
  reach.ssh:
    gate: reach
    per: host
    unit: state
    required: true
    prerequisite: true
    limits: [{equals: ok, unit: state, kind: datasheet, source: this test}]
  nvlink.links_active:
    gate: nvlink
    per: gpu
    unit: links
    required: true
    limits: [{min: 18, unit: links, kind: datasheet, source: this test}]
  nvlink.spare:
    gate: nvlink
    per: gpu
    unit: links
    limits: [{level: report-only, unit: links, kind: rule-of-thumb, source: this test}]
"""
LINKS = Limit(unit="links", source="this test", kind="datasheet", minimum=18)
STATE = Limit(unit="state", source="this test", kind="datasheet", equals=("ok",))
MANIFEST = [
    *(Expected("suites/reach/test_ssh.py::test_ssh", host, "reach.ssh") for host in HOSTS),
    *(Expected("suites/nvlink/test_x.py::test_x", gpu, "nvlink.links_active") for gpu in GPUS),
]


def mini(folder: Path, *, lab: str = "simrack") -> Inventory:
    """Write the inventory's files and load them; a lab is needed where there are no host keys."""
    (folder / "profiles").mkdir(parents=True, exist_ok=True)
    (folder / "mini.yaml").write_text(_INVENTORY.format(lab=lab), encoding="utf-8")
    (folder / "parts.csv").write_text(_PARTS, encoding="utf-8")
    (folder / "profiles" / "mini.yaml").write_text(_PROFILE, encoding="utf-8")
    return load_inventory("mini", folder)


def real(folder: Path) -> Inventory:
    """The same inventory as if its hosts were real."""
    return replace(mini(folder), lab="")


def taken(
    metric: str,
    subject: str,
    value: Scalar | None,
    verdict: Verdict | str = "PASS",
    *,
    limit: Limit | None = LINKS,
    reason: str = "",
    detail: str = "",
    conditions: dict[str, Scalar] | None = None,
) -> Measurement:
    gate = metric.partition(".")[0]
    return Measurement(
        test=f"suites/{gate}/test_x.py::test_x[{subject}]",
        gate=gate,
        subject=subject,
        metric=metric,
        value=value,
        unit="links" if limit is LINKS else "",
        verdict=Verdict(verdict),
        limit=limit if value is not None else None,
        level=limit.level if limit else "fail",
        reason=reason,
        detail=detail,
        conditions=conditions or {},
    )


def healthy() -> list[Measurement]:
    """Everything that the manifest expects, and good."""
    return [
        *(taken("reach.ssh", host, "ok", limit=STATE) for host in HOSTS),
        *(taken("nvlink.links_active", gpu, 18) for gpu in GPUS),
    ]


def without(rows: Iterable[Measurement], subject: str) -> list[Measurement]:
    return [row for row in rows if row.subject != subject]


def run_of(
    path: Path,
    inventory: Inventory,
    rows: Sequence[Measurement],
    *,
    manifest: Sequence[Expected] = tuple(MANIFEST),
    unfinished: str = "",
) -> Closed:
    """A finished run folder in which the rows were judged."""
    run = RunFolder.create(path)
    open_run(run, inventory, manifest, command=["pytest", "-m", "nvl72"], started=NOW, seed=1)
    writer = RecordWriter(run, "main", inventory, clock=lambda: NOW)
    for row in rows:
        writer.write(row)
    writer.close()
    host = run.evidence / HOSTS[0]
    host.mkdir()
    (host / "1-nvidia-smi.out").write_text("output as it came\n", encoding="utf-8")
    return close_run(run, ended=NOW, unfinished=unfinished)
