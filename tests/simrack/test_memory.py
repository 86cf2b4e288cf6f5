"""The rack in memory as its transport shows it: deadlines, limits, leases, started programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from fixtures.model.errors import Busy, DeadlineError, RackError, TransportError
from fixtures.model.lab import parse_fault
from fixtures.model.loading import load_inventory
from fixtures.transport import lease
from fixtures.transport.base import Command
from fixtures.transport.pool import collect
from lab.simrack import memory
from plugins.lab_memory import MemoryTransport
from tests.simrack.bench import INVENTORIES

FAULTS = ("host.unreachable@r01-ct02", "host.hangs@r01-ct03", "host.key_changed@r01-ct04",
          "tool.hangs@r01-ct05", "clock.skew@r01-ct06:seconds=90")  # fmt: skip
QUICK_S = 5.0
"""Far less than what is modelled, and enough for a busy machine."""


@pytest.fixture(scope="module")
def rack() -> Iterator[memory.MemoryRack]:
    inventory = load_inventory("rack7", INVENTORIES)
    started = memory.start(inventory, seed=1, faults=[parse_fault(text) for text in FAULTS])
    yield started
    started.stop()
    started.stop()
    assert not started.thread.is_alive()


def to(rack: memory.MemoryRack, host: str = "r01-ct01", run_id: str = "run-1") -> MemoryTransport:
    return MemoryTransport(host, rack, run_id=run_id, connect_deadline_s=20.0)


def ask(*argv: str, deadline_s: float = 30.0, limit: int = 1 << 20) -> Command:
    return Command(argv=argv, key="test", deadline_s=deadline_s, output_limit_bytes=limit)


def test_a_command_is_run(rack: memory.MemoryRack) -> None:
    found = to(rack).run(ask("uname", "-r"))
    assert (found.rc, found.stdout_bytes, found.timed_out) == (0, b"6.8.0-1032-nvidia-64k\n", False)
    assert to(rack).run(ask("frob")).rc == 127


def test_a_deadline_passes_quickly_and_is_reported_whole(rack: memory.MemoryRack) -> None:
    began = time.monotonic()
    found = to(rack, "r01-ct05").run(ask("nvidia-smi", "-q", "-x", deadline_s=60))
    slept = to(rack).run(ask("sleep", "40", deadline_s=60))
    assert time.monotonic() - began < QUICK_S
    assert (found.rc, found.timed_out, slept.rc, slept.timed_out) == (124, True, 0, False)
    assert found.duration_s == pytest.approx(60, abs=QUICK_S)
    assert slept.duration_s == pytest.approx(40, abs=QUICK_S)


def test_a_bundle_is_framed_with_the_hosts_time(rack: memory.MemoryRack) -> None:
    commands = [ask("sleep", "30", deadline_s=5), ask("nvidia-smi", "-q", "-x", limit=100)]
    late, cut = to(rack, "r01-ct06").bundle(commands)
    assert (late.rc, late.timed_out) == (124, True)
    assert late.duration_s == pytest.approx(5, abs=1)
    assert (cut.rc, cut.truncated, len(cut.stdout_bytes)) == (0, True, 100)
    assert cut.host_time == pytest.approx(time.time() + 90, abs=QUICK_S)


def test_output_past_the_limit_is_cut(rack: memory.MemoryRack) -> None:
    found = to(rack).run(ask("nvidia-smi", "-q", "-x", limit=100))
    assert (found.rc, found.truncated, len(found.stdout_bytes)) == (0, True, 100)


def test_a_started_program_is_waited_for_or_stopped(rack: memory.MemoryRack) -> None:
    host = to(rack)
    assert host.start(ask("sleep", "5", deadline_s=60)).wait(QUICK_S).rc == 0
    sampler = host.start(ask("nvidia-smi", "--query-gpu=pci.bus_id", "-lms", "250"))
    assert sampler.stop().rc == 143
    assert sampler.stop().stdout.count("0008:01:00.0") >= 1
    endless = host.start(ask("sleep", "1000000", deadline_s=900000))
    with pytest.raises(DeadlineError, match=r"did not end within 0\.1 s"):
        endless.wait(0.1)


def test_hosts_refuse_hang_and_show_another_key(rack: memory.MemoryRack) -> None:
    began = time.monotonic()
    with pytest.raises(TransportError, match="Connection refused") as refused:
        to(rack, "r01-ct02").run(ask("true"))
    with pytest.raises(DeadlineError, match="no SSH handshake within 20 s"):
        to(rack, "r01-ct03").bundle([ask("true")])
    with pytest.raises(TransportError, match="the host key changed"):
        to(rack, "r01-ct04").start(ask("true"))
    assert refused.value.why == "unreachable"
    assert time.monotonic() - began < QUICK_S


def test_leases_are_kept_on_the_host(rack: memory.MemoryRack) -> None:
    ours, theirs = to(rack), to(rack, run_id="run-2")
    lease.take(ours, "us", "run-1", 300)
    with pytest.raises(Busy, match="'us' holds its lease for run 'run-1'"):
        lease.take(theirs, "them", "run-2", 300)
    assert lease.release(ours, "us", "run-1")


def test_many_threads_ask_at_once(rack: memory.MemoryRack) -> None:
    hosts = [name for name in rack.site.machines if rack.door(name) == "open"]
    found = collect(hosts, lambda host: to(rack, host).run(ask("uname", "-n")).stdout.strip())
    assert list(found.values()) == hosts


def test_what_no_host_takes_is_refused(rack: memory.MemoryRack) -> None:
    with pytest.raises(RackError, match="NUL byte"):
        to(rack).run(ask("echo", "a\0b"))


def test_a_stopped_rack_is_a_lost_host() -> None:
    rack = memory.start(load_inventory("rack7", INVENTORIES))
    endless = to(rack).start(ask("sleep", "1000000", deadline_s=900000))
    rack.stop()
    with pytest.raises(TransportError, match="was stopped"):
        endless.wait(QUICK_S)
    with pytest.raises(TransportError, match="has been stopped"):
        to(rack).run(ask("true"))
