"""What was accepted and against what: signoff.json for machines, signoff.html for people.

The order matters: evidence list, page, then signoff.json, which holds the digest of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import jinja2

from fixtures.model.verdicts import Outcome
from reports.digest import digest_of, evidence_digests, file_digest, write_sums
from reports.findings import read_findings
from reports.jsonfile import Json, write_json
from reports.manifest import read_manifest
from reports.outcome import RunResult, judge_run
from reports.page import Page, page
from reports.parts import read_parts
from reports.record import Record, read_record
from reports.run import RunInfo, read_run
from reports.runfolder import RunFolder, write_durably

SCHEMA = 1
TEXT_SHOWN = 2000
"""Longer texts (a host's error output) are cut on the page; the record has them whole."""

_TEMPLATES = Path(__file__).resolve().parent / "templates"


def sign(run: RunFolder, judged: RunResult | None = None, record: Sequence[Record] = ()) -> Json:
    """Write evidence/SHA256SUMS, signoff.html and signoff.json from a folder that is complete.

    `judged` is what its `record` comes to, where both have just been written; else they are read.
    """
    info, topology = read_run(run), read_parts(run)
    if judged is None:
        record = read_record(run.record)
        judged = judge_run(record, read_manifest(run), unfinished=info.unfinished)
    reasons = not_signable(info)
    evidence = evidence_digests(run)
    write_sums(run, evidence)
    shown = page(
        info, judged, record, read_findings(run), topology,
        not_signable=reasons, evidence=(len(evidence), digest_of(evidence)),
    )  # fmt: skip
    write_durably(run.signoff_html, render(shown).encode())
    document = asdict(info) | {
        "schema": SCHEMA,
        "signable": not reasons,
        "not_signable": reasons,
        "serials": topology.serials,
        "files": signed_files(run),
        "evidence": {
            "files": len(evidence),
            "digest": digest_of(evidence),
            "list": run.evidence_sums.relative_to(run.path).as_posix(),
        },
    }
    write_json(run.signoff_json, document)
    return document


def not_signable(info: RunInfo) -> tuple[str, ...]:
    """Why a run is no acceptance of real hardware; empty where it is one."""
    reasons = []
    if info.simulated:
        reasons.append("the run was SIMULATED: it judged a lab and no hardware")
    if info.replay_of:
        reasons.append("it is a replay: sign the run that was there, not its evidence judged again")
    if info.faults and not info.simulated:
        reasons.append("faults were injected")
    if info.outcome != Outcome.ACCEPTED.value:
        reasons.append(f"the outcome is {info.outcome}")
    if not info.ended:
        reasons.append("the run has not ended")
    return tuple(reasons)


def signed_files(run: RunFolder) -> dict[str, str]:
    """The files of a run folder whose content is signed for, with their digests."""
    paths = [
        run.run_json, run.manifest, run.record, run.findings, run.parts, run.evidence_sums,
        run.signoff_html,
    ]  # fmt: skip
    if run.evidence_index.is_file():
        paths.append(run.evidence_index)
    return {path.relative_to(run.path).as_posix(): file_digest(path) for path in paths}


def render(shown: Page) -> str:
    """The page as one HTML file that loads nothing from anywhere."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    fields: Mapping[str, object] = {name: getattr(shown, name) for name in Page.__slots__}
    return environment.get_template("signoff.html.j2").render(fields)


def _printable(value: object) -> object:
    """Host output is hostile: no control or direction characters reach the page, and no novels."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    shown = value[:TEXT_SHOWN]
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else "\ufffd" for char in shown)
    return shown + (" …" if len(value) > TEXT_SHOWN else "")
