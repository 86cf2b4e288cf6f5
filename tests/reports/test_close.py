"""A run from its start to its sign-off, and what is written on the way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.analysis.topology import topology
from reports.close import close_run, open_run
from reports.findings import read_findings
from reports.parts import read_parts
from reports.run import read_run
from reports.runfolder import RunFolder, RunFolderError
from tests.reports.rack import GPUS, HOSTS, MANIFEST, NOW, healthy, mini, real, run_of, taken

FIELDS = {
    "schema", "inventory", "product", "digests", "outcome", "outcome_reasons", "gates", "simulated",
    "counts", "coverage", "started", "ended", "command", "versions", "seed", "faults",
    "gates_left_out", "limits_not_judged",
}  # fmt: skip


def test_run_json_is_incomplete_until_the_end(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    open_run(run, mini(tmp_path), MANIFEST, command=["pytest"], started=NOW, faults=["a.b@c"])
    written = json.loads(run.run_json.read_text(encoding="utf-8"))
    assert set(written) >= FIELDS
    assert (written["outcome"], written["ended"]) == ("INCOMPLETE", "")
    assert written["simulated"] is True
    assert written["gates_left_out"] == ["nccl"]
    assert written["limits_not_judged"] == ["nvlink.spare"]
    assert set(written["digests"]) == {"inventory", "plan", "profile"}
    assert set(written["input_files"]) == {"mini.yaml", "parts.csv", "profiles/mini.yaml"}


def test_closed_run_says_what_was_found(tmp_path: Path) -> None:
    rows = [*healthy()[:2], taken("nvlink.links_active", GPUS[0], 17, "FAIL"), *healthy()[3:],
            taken("nvlink.spare", GPUS[0], 0)]  # fmt: skip
    closed = run_of(tmp_path / "run", mini(tmp_path), rows)
    info = read_run(closed.run)
    assert (info.outcome, info.gates["nvlink"]) == ("REJECTED", "FAIL")
    assert list(info.limits_not_judged) == []
    assert info.coverage == {"expected": 6, "judged": 6}
    assert read_findings(closed.run) == list(closed.findings)
    (found,) = closed.findings
    assert (found.part, found.label) == (GPUS[0], "U21 slot 1")


def test_run_may_be_closed_again(tmp_path: Path) -> None:
    closed = run_of(tmp_path / "run", mini(tmp_path), healthy())
    again = close_run(closed.run, ended=NOW)
    assert again.info == closed.info


def test_newer_schema_is_refused_and_unknown_fields_are_not(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", mini(tmp_path), healthy()).run
    written = json.loads(run.run_json.read_text(encoding="utf-8"))
    run.run_json.write_text(json.dumps(written | {"later": 1}), encoding="utf-8")
    assert read_run(run).outcome == "ACCEPTED"
    run.run_json.write_text(json.dumps(written | {"schema": 2}), encoding="utf-8")
    with pytest.raises(RunFolderError, match="schema 2; this suite reads 1 to 1"):
        read_run(run)
    run.run_json.write_text('{"schema": 1}', encoding="utf-8")
    with pytest.raises(RunFolderError, match="incomplete"):
        read_run(run)


def test_parts_are_read_as_written(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", mini(tmp_path), healthy()).run
    assert read_parts(run) == topology(mini(tmp_path))
    run.parts.write_text('{"schema": 1}', encoding="utf-8")
    with pytest.raises(RunFolderError, match="not a list of parts"):
        read_parts(run)


def test_sign_off_names_what_was_accepted(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", real(tmp_path), healthy()).run
    signed = json.loads(run.signoff_json.read_text(encoding="utf-8"))
    assert (signed["outcome"], signed["signable"], signed["not_signable"]) == ("ACCEPTED", True, [])
    assert signed["serials"] == {
        "r01-ct01": "SN-A", "r01-ct01/gpu0": "SN-G0", "r01-ct01/gpu1": "",
        "r01-ct02": "SN-B", "r01-ct02/gpu0": "", "r01-ct02/gpu1": "",
    }  # fmt: skip
    assert {"run.json", "record.jsonl", "manifest.jsonl", "findings.json"} <= set(signed["files"])
    assert signed["evidence"]["files"] == 1
    assert run.evidence_sums.read_text(encoding="utf-8").endswith(
        f"  {HOSTS[0]}/1-nvidia-smi.out\n"
    )


@pytest.mark.parametrize(
    ("lab", "rows", "why"),
    [
        ("simrack", healthy(), "the run was SIMULATED: it judged a lab and no hardware"),
        ("", healthy()[:-1], "the outcome is INCOMPLETE"),
    ],
)
def test_simulated_or_unaccepted_run_cannot_be_signed_as_real(
    tmp_path: Path, lab: str, rows: list[object], why: str
) -> None:
    inventory = replace(mini(tmp_path), lab=lab)
    run = run_of(tmp_path / "run", inventory, rows).run  # type: ignore[arg-type]
    signed = json.loads(run.signoff_json.read_text(encoding="utf-8"))
    assert (signed["signable"], signed["not_signable"]) == (False, [why])
