"""The rdma gate on real hosts: four guests with soft RoCE, all well, and one lost in mid-test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.verdicts import Verdict
from lab.softroce.registry import entry_path, read_entry
from reports.record import Record
from reports.runfolder import RunFolder
from tests.acceptance.runs import DEADLINE_S, ROOT, Run, accept, command, examples

GUESTS = ("g1", "g2", "g3", "g4")
WELL, HURT = "g1/rxe0/1->g2/rxe0/1", "g3/rxe0/1->g4/rxe0/1"
VICTIM = "g4"

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.environ.get("RACKGATE_NO_LAB") == "1", reason="RACKGATE_NO_LAB=1"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All guests stay alive."""
    return accept("rdma", "softroce", tmp_path_factory.mktemp("softroce") / "run")


@pytest.fixture(scope="module")
def wounded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """g4 loses its power while g3 measures against it."""
    folder = tmp_path_factory.mktemp("softroce") / "wounded"
    log = folder.with_name("printed")
    began = time.monotonic()
    with log.open("wb") as out:
        running = subprocess.Popen(
            command("rdma", "softroce", folder),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for_load(folder, running, log)
        kill_guest(folder, VICTIM)
        status = running.wait(DEADLINE_S)
    finally:
        running.kill()
        running.wait()
    wall_s = time.monotonic() - began
    printed = log.read_text(encoding="utf-8", errors="replace")
    return Run(folder=RunFolder(folder), exit_status=status, wall_s=wall_s, printed=printed)


def wait_for_load(folder: Path, running: subprocess.Popen[bytes], log: Path) -> None:
    """Until the counters of the victim were read, which is what comes right before its load."""
    until = time.monotonic() + DEADLINE_S
    wanted = f"rdma/{HURT.replace('->', '-')}/server-before"
    while wanted not in keys(folder):
        assert time.monotonic() < until, "the load never began"
        assert running.poll() is None, f"it ended before its load:\n{log.read_text()[-4000:]}"
        time.sleep(0.1)


def keys(folder: Path) -> set[str]:
    """What the evidence has answers to by now; a line that is being written does not count."""
    index = folder / "evidence" / "index-main.jsonl"
    lines = index.read_text().split("\n")[:-1] if index.exists() else []
    return {json.loads(line)["key"] for line in lines}


def kill_guest(folder: Path, name: str) -> None:
    """Take a guest's power: end its QEMU, found by the lab's own registry."""
    entry = read_entry(entry_path(folder / ".shared" / "lab"))
    assert entry is not None, "the lab is not registered"
    guest = next(process for process in entry.processes if process.name == name)
    guest.send(signal.SIGKILL)


def of(run: Run, subject: str) -> list[Record]:
    """The rows of the rdma gate about one subject."""
    return [row for row in run.rows if row.subject == subject and row.gate == "rdma"]


def entries(run: Run, key: str) -> Iterator[dict[str, Any]]:
    """The evidence of everything that was asked under keys that end so, repeats (`#2`) included."""
    for line in run.folder.evidence_index.read_text().splitlines():
        entry = json.loads(line)
        if entry["key"].partition("#")[0].endswith(key):
            yield entry


def texts(run: Run, key: str) -> list[str]:
    """What they printed."""
    return [(run.folder.evidence / one["stdout"]).read_text() for one in entries(run, key)]


@pytest.mark.parametrize("pair", [WELL, HURT])
def test_pairs_pass(whole: Run, pair: str) -> None:
    rows = of(whole, pair)
    assert len(rows) >= 5
    assert {row.verdict for row in rows} == {Verdict.PASS}, examples(rows)


def test_perftest_and_mpirun_were_real(whole: Run) -> None:
    """perftest's own words are in the evidence, and every guest printed its name."""
    measured = [text for text in texts(whole, "/bw/client") if "RDMA_Write BW Test" in text]
    assert len(measured) == 4
    (launched,) = texts(whole, "load/nccl-launch")
    assert set(launched.split()) == set(GUESTS)
    assert [row.verdict for row in of(whole, "softroce")] == [Verdict.PASS]


def test_guests_keep_the_time(whole: Run) -> None:
    """A guest whose clock runs too fast ends its deadlines early, and nobody sees why."""
    for entry in entries(whole, "facts/clock"):
        assert abs(entry["host_time"] - entry["started"]) < 30, entry["host"]


def test_narrowed_run_is_incomplete(whole: Run) -> None:
    """`-m rdma` is a part of the acceptance: its gate passes, and nothing is accepted."""
    other = [row for row in whole.rows if row.verdict is not Verdict.PASS]
    assert (whole.info.outcome, whole.exit_status) == ("INCOMPLETE", 1), examples(other)
    assert whole.info.gates["rdma"] == "PASS", examples(other)


def test_lost_guest_is_inconclusive(wounded: Run) -> None:
    rows = of(wounded, HURT)
    assert {row.verdict for row in rows} == {Verdict.INCONCLUSIVE}, examples(rows)
    assert {row.reason for row in rows} <= {"unreachable", "timeout"}, examples(rows)
    assert (wounded.info.outcome, wounded.exit_status) == ("INCOMPLETE", 1)


def test_other_pair_is_judged(wounded: Run) -> None:
    rows = of(wounded, WELL)
    assert {row.verdict for row in rows} == {Verdict.PASS}, examples(rows)


def test_lost_guest_costs_its_deadlines_only(
    whole: Run, wounded: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A perftest client waits for its own deadline at most; nothing else waits for the dead."""
    with capsys.disabled():
        print(f"\nsoftroce: whole {whole.wall_s:.0f} s, one guest lost {wounded.wall_s:.0f} s")
    perftest_deadline_s = 90.0
    assert wounded.wall_s < 2 * whole.wall_s + perftest_deadline_s + 60
    assert not (wounded.folder.path / ".shared").exists()
