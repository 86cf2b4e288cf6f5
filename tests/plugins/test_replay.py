"""A finished run is judged again from its evidence, with no lab and no host."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugins.runs import Run, run

Shared = Callable[[str], Run]
KEYS = (
    "id",
    "test",
    "gate",
    "subject",
    "metric",
    "value",
    "unit",
    "conditions",
    "limit",
    "verdict",
)


def replay(folder: Path, of: Run, tiny_rack: Path, *options: str) -> Run:
    return run(folder, f"--inventory={tiny_rack}", "-mnvl72", f"--replay={of.folder}", *options)


@pytest.mark.parametrize("name", ["healthy", "healthy-n2", "faulty", "faulty-n2", "unreachable"])
def test_a_replay_judges_the_same(
    shared: Shared, tiny_rack: Path, tmp_path: Path, name: str
) -> None:
    first = shared(name)
    again = replay(tmp_path / "again", first, tiny_rack)
    assert again.status == first.status, again.text
    assert again.info["outcome"] == first.info["outcome"]
    assert [values(row) for row in again.record] == [values(row) for row in first.record]
    assert again.findings == first.findings
    assert not [row for row in again.evidence if row["key"] not in asked(first)]


def asked(of: Run) -> set[str]:
    return {row["key"] for row in of.evidence}


def values(row: dict[str, object]) -> list[object]:
    return [row[key] for key in KEYS] + [row.get("reason")]


@pytest.fixture(scope="module")
def edited(shared: Shared, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A healthy run in whose evidence one GPU has not finished to register."""
    first = shared("healthy")
    folder = tmp_path_factory.mktemp("edited") / "run"
    shutil.copytree(first.folder, folder)
    (entry,) = [
        row
        for row in first.evidence
        if row["host"] == "r01-ct02" and row["key"].endswith("facts/nvidia-smi-q")
    ]
    file = folder / "evidence" / entry["stdout"]
    before, second = file.read_text().split('<gpu id="00000009:01:00.0">')
    second = second.replace("<state>Completed</state>", "<state>In Progress</state>", 1)
    file.write_text(f'{before}<gpu id="00000009:01:00.0">{second}')
    return Run(first.status, first.text, folder)


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_other_evidence_gives_another_outcome(
    edited: Run, tiny_rack: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    again = replay(tmp_path / "again", edited, tiny_rack, *options)
    assert again.status == 1, again.text
    assert again.info["outcome"] == "REJECTED"
    assert again.findings[0]["part"] == "r01-ct02/gpu1"
    failed = [row for row in again.record if row["verdict"] == "FAIL"]
    assert [(row["metric"], row["value"]) for row in failed] == [("fabric.state", "In Progress")]


def test_evidence_that_is_missing_is_missing(
    shared: Shared, tiny_rack: Path, tmp_path: Path
) -> None:
    """A run that looked at less than what is judged now: the rest cannot be judged."""
    again = replay(tmp_path / "again", shared("observed"), tiny_rack)
    assert again.status == 1, again.text
    assert again.info["outcome"] == "INCOMPLETE"
    assert {row["verdict"] for row in again.rows("nvlink.links_active")} == {"PASS"}
    assert {row["verdict"] for row in again.rows("nccl.completed")} == {"INCONCLUSIVE"}
