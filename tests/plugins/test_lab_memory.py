"""A rack in memory gives the run that the same rack gives over SSH, without a socket."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.plugins import tiny
from tests.plugins.runs import ROOT, Json, Run, command, lab_processes, run, start

pytestmark = pytest.mark.lab
Shared = Callable[[str], Run]
FAULTS = {
    "healthy": (),
    "unreachable": ("--fault=host.unreachable@r01-ct02",),
    "hangs": ("--fault=host.hangs@r01-ct02",),
    "key-changed": ("--fault=host.key_changed@r01-ct02",),
    "missing": ("--fault=tool.missing@r01-ct02:tool=nvidia-smi",),
    "tool-hangs": ("--fault=tool.hangs@r01-ct02",),
    "gpu-missing": ("--fault=gpu.missing@r01-ct01/gpu1",),
}
SHARED = ("healthy", "unreachable", "missing")
"""Those that other tests also start over SSH."""
MEMORY = "--lab-transport=memory"
MEASURED = "reach.clock_skew"
USAGE = 4


@pytest.fixture(scope="module")
def over_ssh(tiny_rack: Path, shared: Shared, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """The run of this name over SSH; hosts that hang cost their deadlines, so all go at once."""
    folder = tmp_path_factory.mktemp("ssh")
    others = {name: faults for name, faults in FAULTS.items() if name not in SHARED}
    pool = ThreadPoolExecutor(len(others))
    futures: Mapping[str, Future[Run]] = {
        name: pool.submit(run, folder / name, f"--inventory={tiny_rack}", "-mnvl72", *faults)
        for name, faults in others.items()
    }
    pool.shutdown(wait=False)
    return lambda name: futures[name].result() if name in futures else shared(name)


def in_memory(folder: Path, tiny_rack: Path, *options: str) -> Run:
    return run(folder, f"--inventory={tiny_rack}", "-mnvl72", MEMORY, *options)


@pytest.mark.parametrize("name", FAULTS)
def test_the_record_is_that_of_ssh(
    over_ssh: Shared, tiny_rack: Path, tmp_path: Path, name: str
) -> None:
    first, second = over_ssh(name), in_memory(tmp_path / "run", tiny_rack, *FAULTS[name])
    assert second.status == first.status, second.text
    assert second.info["outcome"] == first.info["outcome"]
    assert [judged(row) for row in second.record] == [judged(row) for row in first.record]
    assert second.findings == first.findings
    assert asked(second) == asked(first)


def judged(row: Json) -> Json:
    """A row without what differs from run to run: times, evidence ids, and a port in a message."""
    fields = ("time", "evidence", "detail", *(("value",) if row["metric"] == MEASURED else ()))
    return {key: value for key, value in row.items() if key not in fields}


def asked(run: Run) -> set[tuple[object, ...]]:
    """What was asked of whom, and which of it got no answer. `#2` behind a key is a second try:
    over SSH a client now and then comes before its server."""
    return {
        (
            entry["host"],
            entry["key"].partition("#")[0],
            entry["timed_out"],
            *((entry["error"]["kind"], entry["error"]["reason"]) if entry.get("error") else ()),
        )
        for entry in run.evidence
    }


def test_hung_programs_and_hosts_cost_no_wait_and_report_theirs(
    tiny_rack: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    hung = in_memory(folder, tiny_rack, "--fault=tool.hangs@r01", "--fault=host.hangs@r01-sw01")
    (entry,) = [
        entry
        for entry in hung.evidence
        if (entry["host"], entry["key"]) == ("r01-ct01", "facts/nvidia-smi-q")
    ]
    assert entry["timed_out"]
    assert entry["duration_s"] == pytest.approx(20, abs=2)
    assert hung.row("reach.ssh", "r01-sw01")["reason"] == "timeout"


def test_the_run_says_so_and_can_be_verified_and_replayed(tiny_rack: Path, tmp_path: Path) -> None:
    first = in_memory(tmp_path / "run", tiny_rack)
    assert "ACCEPTED (SIMULATED) (IN MEMORY)  tiny" in first.text
    assert (first.info["simulated"], first.info["lab_transport"]) == (True, "memory")
    assert verified(first.folder).startswith("verified: ACCEPTED (SIMULATED)")
    replay = f"--replay={first.folder}"
    again = run(tmp_path / "again", f"--inventory={tiny_rack}", "-mnvl72", replay)
    assert "ACCEPTED (SIMULATED) (IN MEMORY) (REPLAY)  tiny" in again.text


def verified(folder: Path) -> str:
    words = (sys.executable, "-m", "reports", "verify", str(folder))
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_over_ssh_nothing_says_memory(shared: Shared) -> None:
    healthy = shared("healthy")
    assert healthy.info["lab_transport"] == "ssh"
    assert "IN MEMORY" not in healthy.text


def test_no_network_and_no_process_is_used(tiny_rack: Path, tmp_path: Path) -> None:
    options = (f"--inventory={tiny_rack}", "-mnvl72", MEMORY)
    found = start(tmp_path / "run", *options, plugin="tests.plugins.no_network").end()
    assert found.info["outcome"] == "ACCEPTED", found.text
    assert lab_processes(found.folder) == []


def test_the_network_is_watched_where_it_is_used(tiny_rack: Path, tmp_path: Path) -> None:
    options = (f"--inventory={tiny_rack}", "-mnvl72", "--lab-transport=ssh")
    found = start(tmp_path / "run", *options, plugin="tests.plugins.no_network").end()
    assert "a process was started" in found.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((MEMORY, "-n2"), "lives in one process"),
        (("--lab-transport=shm",), "invalid choice: 'shm'"),
        ((MEMORY, f"--replay={ROOT / 'nowhere'}"), "a replay asks no lab"),
    ],
)
def test_what_cannot_be_together_is_refused(
    tiny_rack: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    folder = tmp_path / "run"
    found = command(f"--inventory={tiny_rack}", f"--run-dir={folder}", *options)
    assert found.status == USAGE
    assert said in found.text
    assert not folder.exists()


@pytest.mark.parametrize("chosen", ["ssh", "memory"])
def test_only_simrack_can_be_reached_in_two_ways(tmp_path: Path, chosen: str) -> None:
    real = tiny.write(tmp_path, lab=False)
    for inventory in (str(real), "softroce"):
        found = command(f"--inventory={inventory}", f"--lab-transport={chosen}")
        assert found.status == USAGE
        assert "has no `lab: simrack`" in found.text


def test_the_option_needs_an_inventory() -> None:
    found = command(MEMORY)
    assert found.status == USAGE
    assert "needs --inventory" in found.text
