"""One NVL72 rack: accepted when it is well, and every first fault of it named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.expected import EXPECTED, places
from tests.acceptance.fault_table import Line, faulty
from tests.acceptance.runs import Run, accept, examples, inventory, reports

NAME, GPUS = "rack7", 72
RACK = inventory(NAME)

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return accept("nvl72", NAME, tmp_path_factory.mktemp("rack7") / "healthy")


def test_healthy_rack_is_accepted(healthy: Run) -> None:
    assert (healthy.info.outcome, healthy.exit_status) == ("ACCEPTED", 0), healthy.printed[-4000:]
    assert healthy.info.coverage["judged"] == healthy.info.coverage["expected"] > GPUS
    assert not healthy.failed, examples(healthy.failed)
    assert not healthy.unjudged, examples(healthy.unjudged)
    assert healthy.findings == []


def test_healthy_rack_is_simulated(healthy: Run) -> None:
    """A lab's ACCEPTED can never be taken for hardware's."""
    assert healthy.info.simulated
    assert f"ACCEPTED (SIMULATED)  {NAME}  {GPUS} GPUs" in healthy.printed


def test_every_gpu_was_judged(healthy: Run) -> None:
    gpus = {row.subject for row in healthy.rows if row.metric == "gpu.bound"}
    assert gpus == {gpu.part for tray in RACK.trays for gpu in tray.gpus}
    assert len(gpus) == GPUS


def test_accepted_run_verifies(healthy: Run) -> None:
    done = reports("verify", healthy.folder.path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", EXPECTED)
def test_fault_is_seen_and_named(kind: str, tmp_path: Path) -> None:
    """Outcome, signal, and one finding, which names the part; healthy parts keep their PASS. The
    run verifies, and does not once a row of it was edited."""
    (place,) = places(kind, RACK, 1)
    run = accept("nvl72", NAME, tmp_path / "run", [f"{kind}@{place}"])
    line = faulty(kind, place, RACK, run)
    assert not line.wrong, described(line)
    assert reports("verify", run.folder.path).returncode == 0
    flatter(run)
    assert reports("verify", run.folder.path).returncode == 1


def described(line: Line) -> str:
    bad = [*line.run.failed, *line.run.unjudged]
    return f"{line}\n{examples(bad)}"


def flatter(run: Run) -> None:
    """Edit the record as somebody would who wants his rack accepted."""
    text = run.folder.record.read_text(encoding="utf-8")
    worst = "FAIL" if run.failed else "INCONCLUSIVE"
    edited = text.replace(f'"{worst}"', '"PASS"', 1)
    assert edited != text
    run.folder.record.write_text(edited, encoding="utf-8")
