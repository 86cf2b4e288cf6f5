"""Judge a finished folder again: every verdict, the coverage, the outcome, and every digest.

It finds what was edited after the sign-off. It cannot tell a folder that was forged as a whole: for
that, keep the digest of signoff.json where the acceptance is kept (a ticket, a signed mail).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fixtures.analysis.outliers import THRESHOLD
from fixtures.model.errors import RackError
from fixtures.model.measurement import Scalar
from fixtures.model.verdicts import Verdict
from reports.digest import digest_of, evidence_digests, read_sums
from reports.jsonfile import read_json, read_lines
from reports.manifest import read_manifest
from reports.outcome import judge_run
from reports.record import Record, limit_of, record_from, record_id
from reports.run import RunInfo, read_run
from reports.runfolder import RunFolder, RunFolderError
from reports.signoff import SCHEMA, not_signable, signed_files


def problems(run: RunFolder) -> list[str]:
    """Everything in a folder that does not agree with the rest of it; empty when it is sound."""
    try:
        return [*content_problems(run), *digest_problems(run)]
    except RunFolderError as error:
        return [str(error)]


def content_problems(run: RunFolder) -> list[str]:
    """Rows whose verdict, id or evidence is wrong, and an outcome that does not follow."""
    lines = read_lines(run.record)
    record = [record_from(place, row) for place, row in lines]
    places = [place for place, _ in lines]
    known = _evidence_ids(run)
    found = [
        f"{place}: {problem}"
        for place, row in zip(places, record, strict=True)
        for problem in (*row_problems(row), *_unknown_evidence(row, known))
    ]
    seen: dict[str, str] = {}
    for place, row in zip(places, record, strict=True):
        first = seen.setdefault(row.id, place)
        if first != place:
            found.append(f"{place}: id {row.id} stands in {first} already")
    return found + list(_outcome_problems(run, record))


def row_problems(row: Record) -> Iterator[str]:
    """What a row says about itself against what follows from its value and limit."""
    where = f"{row.metric} at {row.subject}"
    expected = record_id(row.test, row.metric, row.subject, row.conditions)
    if row.id != expected:
        yield f"{where}: the id is {row.id}, but its content gives {expected}"
    if row.verdict is Verdict.NOT_APPLICABLE:
        return
    if row.verdict is Verdict.INCONCLUSIVE:
        if not row.reason:
            yield f"{where}: INCONCLUSIVE without a reason"
        return
    if row.value is None:
        yield f"{where}: {row.verdict} without a value"
        return
    try:
        follows = _follows(row, row.value)
    except (RackError, ValueError, TypeError) as error:
        yield f"{where}: cannot be judged again: {error}"
        return
    if row.verdict not in follows:
        yield (
            f"{where}: says {row.verdict}, but {row.value} {row.unit} against "
            f"{dict(row.limit or {})} gives {' or '.join(follows)}"
        )


def digest_problems(run: RunFolder) -> list[str]:
    """Files that are not what signoff.json says they were."""
    if not run.signoff_json.is_file():
        return [f"{run.signoff_json.name}: missing; write it with `python -m reports signoff`"]
    signed = read_json(run.signoff_json)
    if not isinstance(signed, dict) or not 1 <= int(signed.get("schema", 0)) <= SCHEMA:
        return [f"{run.signoff_json.name}: not a sign-off of a schema from 1 to {SCHEMA}"]
    info = read_run(run)
    wanted = _as_signed(info) | {"signable": not not_signable(info)}
    found = [
        f"{run.signoff_json.name}: {key} is {signed.get(key)!r}, but run.json gives {value!r}"
        for key, value in wanted.items()
        if signed.get(key) != value
    ]
    found += _differences("", signed.get("files", {}), signed_files(run))
    evidence = evidence_digests(run)
    found += _differences("evidence/", read_sums(run), evidence)
    if signed.get("evidence", {}).get("digest") != digest_of(evidence):
        found.append("evidence/: its digest is not the one in signoff.json")
    return found


def _follows(row: Record, value: Scalar) -> tuple[Verdict, ...]:
    """The verdicts that value, limit and peers allow."""
    limit = limit_of(row)
    if limit is None and row.level != "report-only":
        raise ValueError("there is no limit to judge it by")
    inside = limit is None or limit.level != "fail" or limit.holds(value)
    if not inside:
        return Verdict.FAIL, Verdict.WAIVED
    if row.peer and row.peer.get("score", 0.0) > THRESHOLD:
        return Verdict.PASS, Verdict.FAIL, Verdict.WAIVED
    return (Verdict.PASS,)


def _outcome_problems(run: RunFolder, record: list[Record]) -> Iterator[str]:
    info = read_run(run)
    if not info.ended:
        yield "run.json: the run has not ended; `python -m reports signoff` closes it"
        return
    result = judge_run(record, read_manifest(run), unfinished=info.unfinished)
    follows = {
        "outcome": result.outcome.value,
        "outcome_reasons": list(result.reasons),
        "gates": {gate: verdict.value for gate, verdict in result.gates.items()},
        "counts": dict(result.counts),
        "coverage": {"expected": result.coverage.expected, "judged": result.coverage.judged},
    }
    for key, value in follows.items():
        if getattr(info, key) != value:
            yield f"run.json: {key} is {getattr(info, key)}, but record and manifest give {value}"


def _as_signed(info: RunInfo) -> dict[str, Any]:
    keys = ("inventory", "product", "outcome", "gates", "coverage", "simulated", "digests")
    return {key: getattr(info, key) for key in keys}


def _differences(folder: str, signed: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*signed, *found}):
        if name not in found:
            yield f"{folder}{name}: signed for, but not there"
        elif name not in signed:
            yield f"{folder}{name}: there, but not signed for"
        elif signed[name] != found[name]:
            yield f"{folder}{name}: changed after it was signed ({signed[name][:12]}… expected)"


def _evidence_ids(run: RunFolder) -> set[str] | None:
    """The ids of evidence/index.jsonl; None where a run kept no index."""
    if not run.evidence_index.is_file():
        return None
    return {str(row.get("id", "")) for _, row in read_lines(run.evidence_index, torn_tail=True)}


def _unknown_evidence(row: Record, known: set[str] | None) -> Iterable[str]:
    missing = [] if known is None else [id_ for id_ in row.evidence if id_ not in known]
    return [f"{row.metric} at {row.subject}: no evidence {id_} in the index" for id_ in missing]
