"""Ctrl-C, SIGTERM and worse in the middle of a load: the record is kept, and nothing goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.plugins.runs import ROOT, Run, Started, lab_processes, lines, run, start

HANGS = ("--fault=tool.hangs@r01:tool=nvbandwidth", "-mreach or nvlink or nccl")
"""The first load of the run lasts until its deadline, minutes away."""
STARTED_S = 1.5
"""By then the command that follows its lease runs."""
WAYS = {
    "SIGINT": (signal.SIGINT, ()),
    "SIGTERM": (signal.SIGTERM, ()),
    "SIGINT-n2": (signal.SIGINT, ("-n2",)),
    "SIGTERM-n2": (signal.SIGTERM, ("-n2",)),
}


def loading(folder: Path, tiny_rack: Path, *options: str) -> Started:
    """A run in which nvbandwidth hangs on both trays, with the leases taken."""
    started = start(folder, f"--inventory={tiny_rack}", *HANGS, *options)
    loaded = folder / ".shared" / "loaded"
    started.wait_for(
        lambda: loaded.is_dir() and len(list(loaded.iterdir())) == 2, "the leases of both trays"
    )
    time.sleep(STARTED_S)
    return started


@pytest.fixture(scope="module")
def interrupted(tiny_rack: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A run for each way to interrupt one."""
    folder = tmp_path_factory.mktemp("interrupted")

    def interrupt(name: str) -> Run:
        number, options = WAYS[name]
        started = loading(folder / name, tiny_rack, *options)
        started.tell(number)
        return started.end()

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(WAYS, pool.map(interrupt, WAYS), strict=True))


@pytest.fixture(params=list(WAYS))
def cut(request: pytest.FixtureRequest, interrupted: dict[str, Run]) -> Run:
    return interrupted[request.param]


def test_it_exits_as_interrupted_and_incomplete(cut: Run) -> None:
    assert cut.status == 2, cut.text
    assert cut.info["outcome"] == "INCOMPLETE"
    assert cut.info["ended"]
    assert any("interrupted" in reason for reason in cut.info["outcome_reasons"])
    assert "INTERNALERROR" not in cut.text


def test_what_was_judged_is_kept(cut: Run) -> None:
    assert {row["verdict"] for row in cut.rows("reach.ssh")} == {"PASS"}
    assert len(cut.rows("reach.ssh")) == 3


def test_what_was_left_is_not_run_because_of_that(cut: Run) -> None:
    left = cut.rows("nccl.completed")
    assert [(row["verdict"], row["reason"]) for row in left] == [("INCONCLUSIVE", "not-run")]
    assert "interrupted" in left[0]["detail"]
    assert {(r["metric"], r["subject"]) for r in cut.manifest} <= {
        (r["metric"], r["subject"]) for r in cut.record
    }


def test_remote_processes_are_ended_and_leases_given_back(cut: Run) -> None:
    ended = sweeps(cut)
    assert {host for host, text in ended.items() if "nvbandwidth" in text} == {
        "r01-ct01", "r01-ct02",
    }  # fmt: skip
    released = [row["host"] for row in cut.evidence if "release" in row["argv"]]
    assert sorted(released) == ["r01-ct01", "r01-ct02"]


def test_nothing_is_started_after_the_sweep(cut: Run) -> None:
    for host in ("r01-ct01", "r01-ct02"):
        own = [row for row in cut.evidence if row["host"] == host]
        last = max(row["started"] for row in own if "rackgate-sweep" in row["argv"])
        late = [r["key"] for r in own if r["started"] > last and not r["key"].startswith("lease/")]
        assert late == []


def test_no_lab_is_left(cut: Run) -> None:
    assert lab_processes(cut.folder) == []
    assert not (cut.folder / ".shared").exists()


def sweeps(found: Run) -> dict[str, str]:
    """What the sweeps of a run ended, by host."""
    said: dict[str, str] = {}
    for row in found.evidence:
        if "rackgate-sweep" in row["argv"] and row["stdout"]:
            said[row["host"]] = (
                said.get(row["host"], "") + (found.folder / "evidence" / row["stdout"]).read_text()
            )
    return said


@pytest.fixture(scope="module")
def killed(tiny_rack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run whose controller was killed."""
    folder = tmp_path_factory.mktemp("killed") / "run"
    started = loading(folder, tiny_rack)
    started.process.kill()
    started.end()
    return folder


def test_a_killed_run_says_incomplete(killed: Path) -> None:
    assert '"outcome": "INCOMPLETE"' in (killed / "run.json").read_text()
    assert not (killed / "signoff.json").exists()


def test_signoff_closes_a_killed_run(killed: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "reports", "signoff", str(killed)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    found = Run(0, ended.stdout, killed)
    assert "INCOMPLETE (SIMULATED) tiny" in found.text
    assert "died before the end" in found.info["outcome_reasons"][0]
    assert {row["verdict"] for row in found.rows("reach.ssh")} == {"PASS"}
    assert found.info["coverage"]["judged"] < found.info["coverage"]["expected"]


def test_the_next_run_works(killed: Path, tiny_rack: Path, tmp_path: Path) -> None:
    found = run(tmp_path / "run", f"--inventory={tiny_rack}", "-mreach")
    assert found.info["gates"]["reach"] == "PASS"
    assert lab_processes(killed) == []
    assert lines(found.folder / "record.jsonl")
