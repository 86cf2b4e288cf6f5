"""Collectives over a rack and a domain, and what GPU faults make of them."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed
from fixtures.tools.collectives import nccl_command, nccl_tests
from fixtures.transport.base import CommandResult
from lab.simrack.views import nccl
from tests.simrack.bench import Bench, bench

HEAD = "r01-ct01"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collectives take no longer than the event loop needs."""
    monkeypatch.setattr(nccl, "TAKES_S", 0.01)
    monkeypatch.setattr(nccl, "TAKES_PER_RANK_S", 0.0)


def collective(rack: Bench, hosts: int = 18) -> CommandResult:
    names = [tray.name for tray in rack.inventory.trays][:hosts]
    return rack.result(HEAD, nccl_command.command("all_reduce", hosts=names, slots=4))


def test_a_rack_reaches_what_its_profile_expects() -> None:
    report = nccl_tests.read(collective(bench("rack7")))
    assert report.ranks == 72
    assert len(report.hosts) == 18
    assert report.out_of_bounds == 0
    measured = {row.size_bytes: row.out_of_place.busbw_gbytes for row in report.rows}
    expected = {512 << 20: 586, 1 << 30: 681, 2 << 30: 758, 4 << 30: 840, 8 << 30: 840}
    for size, busbw in expected.items():
        assert measured[size] == pytest.approx(busbw, rel=0.005)


def test_a_domain_has_every_rank_and_loses_a_little() -> None:
    report = nccl_tests.read(collective(bench("rack42"), 144))
    assert report.ranks == 576
    assert len(report.devices) == 576
    assert (report.nccl_version or "").startswith("2.28.3")
    busbw = report.row(8 << 30).out_of_place.busbw_gbytes
    assert busbw == pytest.approx(0.97 * 840, rel=0.005)


def test_one_slow_gpu_slows_the_collectives_that_contain_it() -> None:
    rack = bench("rack7", "nccl.slow_gpu@r01-ct05/gpu2")
    slow = nccl_tests.read(collective(rack)).row(8 << 30)
    assert slow.out_of_place.busbw_gbytes == pytest.approx(0.6 * 840, rel=0.005)
    without = nccl_tests.read(collective(rack, 4)).row(16 << 30)
    assert without.out_of_place.busbw_gbytes > 800


def test_wrong_data_is_counted_and_fails_the_program() -> None:
    result = collective(bench("rack7", "nccl.wrong_data@r01-ct05/gpu2"))
    report = nccl_tests.read(result)
    assert result.rc == 1
    assert report.out_of_bounds > 0
    assert not report.bounds_ok


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("gpu.lost@r01-ct02/gpu1", "unknown error"),
        ("fabric.in_progress@r01-ct02/gpu1", "system not yet initialized"),
        ("gpu.missing@r01-ct02/gpu1", "only 3 were found"),
        ("host.unreachable@r01-ct02", "Connection refused"),
        ("host.key_changed@r01-ct02", "Host key verification failed"),
        ("tool.missing@r01-ct02:tool=all_reduce_perf", "unable to find the specified executable"),
    ],
)
def test_a_collective_that_cannot_run_says_why(fault: str, says: str) -> None:
    result = collective(bench("rack7", fault))
    assert result.rc
    assert says in result.stdout + result.stderr
    with pytest.raises(ToolFailed):
        nccl_tests.read(result)


def test_a_mute_host_holds_the_launch_until_its_deadline() -> None:
    rack = bench("rack7", "host.hangs@r01-ct02")
    argv = nccl_command.launch_check([HEAD, "r01-ct02"], slots=4).argv
    assert rack.run(HEAD, "timeout", "0.2", *argv).rc == 124


def test_the_launch_check_prints_a_line_a_rank() -> None:
    names = [HEAD, "r01-ct02"]
    text = bench("rack7").ask(HEAD, *nccl_command.launch_check(names, slots=4).argv)
    assert text.split() == [HEAD] * 4 + ["r01-ct02"] * 4


def test_hosts_log_in_to_each_other() -> None:
    rack = bench("rack7", "host.unreachable@r01-ct03", "host.hangs@r01-ct04")
    options = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=0.1")
    assert rack.run(HEAD, "ssh", *options, "r01-ct02", "true").rc == 0
    assert b"refused" in rack.run(HEAD, "ssh", *options, "r01-ct03", "true").stderr
    assert b"timed out" in rack.run(HEAD, "ssh", *options, "r01-ct04", "true").stderr
