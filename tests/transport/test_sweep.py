"""A sweep ends what carries the run's mark, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.transport import scripts
from fixtures.transport.local import LocalTransport
from fixtures.transport.sweep import sweep

Started = list["subprocess.Popen[bytes]"]
DEAD = f"dead{os.getpid()}"


@pytest.fixture
def started() -> Iterator[Started]:
    processes: Started = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()


def start(processes: Started, run: str, text: str, *, own_group: bool = True) -> int:
    """A program under a run's mark, in a session of its own as the transport starts it."""
    env = dict(os.environ, RACKGATE_RUN=run) if run else dict(os.environ)
    process = subprocess.Popen(
        ["sh", "-c", text], env=env, start_new_session=own_group, stdout=subprocess.PIPE
    )
    processes.append(process)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    return process.pid


def running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_sweep_ends_the_groups_of_the_run_and_nothing_else(started: Started) -> None:
    mine = start(started, DEAD, "sleep 60 & echo; wait")
    stubborn = start(started, DEAD, "trap '' TERM; echo; while :; do sleep 1; done")
    longer = start(started, DEAD + "x", "echo; exec sleep 60")
    unmarked = start(started, "", f"echo; X=RACKGATE_RUN={DEAD} exec sleep 60")
    swept = sweep(LocalTransport(run_id="run2"), DEAD)
    assert {mine, stubborn} <= {process.pid for process in swept}
    assert {process.name for process in swept} <= {"sh", "sleep"}
    assert not running(mine)
    assert not running(stubborn)
    assert running(longer)
    assert running(unmarked)


def test_sweep_of_nothing_is_nothing() -> None:
    began = time.monotonic()
    assert sweep(LocalTransport(run_id="run2"), "never-ran") == []
    assert time.monotonic() - began < 3


def test_sweep_may_ask_for_its_own_run(started: Started) -> None:
    """The sweep itself carries the mark: it ends the others and comes back."""
    other = start(started, DEAD, "echo; sleep 60")
    swept = sweep(LocalTransport(run_id=DEAD), DEAD)
    assert [process.pid for process in swept if process.name == "sh"] == [other]
    assert not running(other)


def test_marked_process_in_a_foreign_group_goes_alone(started: Started) -> None:
    """Its group is the test's own, whose leader does not carry the mark."""
    lone = start(started, DEAD, "echo; exec sleep 60", own_group=False)
    sweep(LocalTransport(run_id="run2"), DEAD)
    assert not running(lone)


@pytest.mark.parametrize("shell", [["dash"], ["bash"], ["busybox", "sh"]], ids=" ".join)
def test_sweep_under_every_shell(started: Started, shell: list[str]) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} on this machine")
    pid = start(started, DEAD, "echo; sleep 60")
    other = start(started, DEAD, "echo; sleep 60")
    key = "k1"
    marked = subprocess.Popen(
        ["sleep", "60"],
        env=dict(os.environ, RACKGATE_RUN=DEAD, RACKGATE_KEY=key),
        start_new_session=True,
    )
    started.append(marked)
    command = [*shell, "-c", scripts.SWEEP, "rackgate-sweep", DEAD]
    one = subprocess.run([*command, key], capture_output=True, text=True, check=True)
    assert one.stdout == f"{marked.pid} sleep\n"
    assert running(pid)
    rest = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{pid} sh\n" in rest.stdout
    assert not running(pid)
    assert not running(other)
