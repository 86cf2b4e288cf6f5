"""Collectives over a rack and a domain, and what GPU faults make of them."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed
from fixtures.tools.collectives import nccl_command, nccl_log, nccl_tests
from fixtures.transport.base import CommandResult
from lab.simrack.views import nccl
from tests.simrack.bench import Bench, bench
from tests.simrack.probes import over_rail

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


def first_over(rack: Bench, *devices: str) -> CommandResult:
    """all_reduce over one NIC each of the first hosts."""
    hosts = [host.name for host in rack.inventory.trays][: len(devices)]
    return over_rail(rack, dict(zip(hosts, devices, strict=True)))


def test_each_host_uses_the_nic_that_it_is_told() -> None:
    log = nccl_log.read(first_over(bench("hgx8"), "mlx5_1", "mlx5_4"))
    used = {(hca.host, hca.name) for hca in log.hcas or ()}
    assert used == {("hgx01", "mlx5_1"), ("hgx02", "mlx5_4")}


@pytest.mark.parametrize(("inventory", "host"), [("hgx8", "hgx02"), ("rack7", "r01-ct02")])
def test_a_nic_that_fails_stops_what_passes_it_and_nothing_else(inventory: str, host: str) -> None:
    rack = bench(inventory, f"nccl.nic_fails@{host}/mlx5_1/1")
    broken = first_over(rack, "mlx5_1", "mlx5_1", "mlx5_1")
    with pytest.raises(ToolFailed, match="Got completion from peer"):
        nccl_tests.read(broken)
    assert "network error" in broken.stdout
    assert nccl_tests.read(first_over(rack, "mlx5_0", "mlx5_0")).ranks == 2
    inside = nccl_command.command("all_reduce", hosts=[host], slots=4)
    assert nccl_tests.read(rack.result(host, inside)).ranks == 4


def test_collectives_between_hosts_are_counted_at_both_ends_of_their_links() -> None:
    rack = bench("rack7")
    ports = [rack.site.world.hosts[name].ports[1] for name in (HEAD, "r01-ct02")]
    before = [(port.end.sent_bytes, port.link.far.received_bytes) for port in ports]
    assert not any(link.near.sent_bytes for link in rack.site.world.hosts[HEAD].gpus[0].links)
    first_over(rack, "mlx5_1", "mlx5_1")
    for port, (sent, received) in zip(ports, before, strict=True):
        assert port.end.sent_bytes - sent > 16 << 30
        assert port.link.far.received_bytes - received == port.end.sent_bytes - sent
    assert not any(link.near.sent_bytes for link in rack.site.world.hosts[HEAD].gpus[0].links)
