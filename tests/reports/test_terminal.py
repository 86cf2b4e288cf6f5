"""The summary at the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.close import Closed
from reports.terminal import outcome_line, summary
from tests.reports.rack import GPUS, healthy, mini, real, run_of, taken


def lines_of(closed: Closed, width: int = 100) -> list[str]:
    return summary(closed.info, closed.result, closed.findings, closed.topology,
                   closed.run.path, width=width)  # fmt: skip


def test_accepted_run_is_short(tmp_path: Path) -> None:
    closed = run_of(tmp_path / "run", real(tmp_path), healthy())
    lines = lines_of(closed)
    assert lines[0] == "ACCEPTED  mini  4 GPUs  coverage 6/6"
    assert "  nccl    left out of this acceptance" in lines
    assert lines[-1] == f"run folder: {closed.run.path}"
    assert "not judged, as nobody has to: nvlink.spare" in lines
    assert not any("findings" in line for line in lines)


def test_rejected_run_says_part_signals_and_action(tmp_path: Path) -> None:
    rows = [*healthy()[:-1], taken("nvlink.links_active", GPUS[0], 17, "FAIL")]
    closed = run_of(tmp_path / "run", mini(tmp_path), rows)
    text = "\n".join(lines_of(closed))
    assert outcome_line(closed.info, closed.result, closed.topology) == (
        "REJECTED (SIMULATED)  mini  4 GPUs  coverage 5/6"
    )
    assert "  1. r01-ct01/gpu0 (U21 slot 1, S/N SN-G0)  gpu, confidence medium" in text
    assert "signals: nvlink.links_active (1 row)" in text
    assert "do: reseat the tray" in text
    assert "not judged: 1 of 4 rows of gate nvlink" in text
    assert "cannot be signed as real" in text


@pytest.mark.parametrize("width", [40, 60, 200])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, width: int) -> None:
    long = "nvlink." + "x" * 90
    rows = [*healthy(), taken(long, GPUS[0], None, "INCONCLUSIVE", reason="unreadable\x1b[2J")]
    lines = lines_of(run_of(tmp_path / "run", mini(tmp_path), rows), width)
    assert all(len(line) <= width for line in lines[:-1])
    assert not any("\x1b" in line for line in lines)
