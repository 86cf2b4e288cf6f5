"""sysfs, ibstat and rdma tell the state of InfiniBand ports."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, ToolMissing, Unreadable
from fixtures.tools.fabric import ib_port, ibstat, rdma_link
from tests.tools.captures import capture, ended


def test_healthy_ports_are_read() -> None:
    devices = ib_port.read(ended(capture("infiniband", "healthy-sysfs.txt")))
    assert [device.name for device in devices] == ["mlx5_0", "mlx5_1"]
    assert (devices[0].node_guid, devices[0].board_id) == ("a088c20300aa0b10", "MT_0000000838")
    assert (devices[0].fw_ver, devices[0].hca_type) == ("28.43.2026", "MT4129")
    port = devices[0].port()
    assert (port.state_number, port.state) == (4, "ACTIVE")
    assert (port.phys_state_number, port.phys_state) == (5, "LinkUp")
    assert (port.rate_gbps, port.width, port.speed) == (400.0, "4X", "NDR")
    assert (port.lid, port.sm_lid, port.link_layer) == (42, 1, "InfiniBand")
    assert port.gids == {0: "fe80:0000:0000:0000:a088:c203:00aa:0b10"}


def test_degraded_ports_are_read() -> None:
    slow, down = ib_port.parse(capture("infiniband", "degraded-sysfs.txt"))
    assert (slow.port().rate_gbps, slow.port().speed) == (200.0, "HDR")
    assert (down.node_guid, down.port().state, down.port().gids) == (None, "DOWN", {})
    with pytest.raises(Unreadable, match="no port 2"):
        down.port(2)


def test_counters_are_read() -> None:
    [port] = ib_port.read_counters(ended(capture("infiniband", "healthy-counters.txt"), rc=2))
    assert (port.device, port.port, port.value("link_downed")) == ("mlx5_0", 1, 1)
    assert port.value("port_xmit_data") == 230442669431839
    assert port.hw_counters["lifespan"] == 12


def test_saturated_and_absent_counters_have_no_value() -> None:
    [port] = ib_port.parse_counters(capture("infiniband", "degraded-counters.txt"))
    assert (port.saturated, port.value("port_rcv_errors")) == (("symbol_error",), 17)
    with pytest.raises(Implausible, match="saturated"):
        port.value("symbol_error")
    with pytest.raises(Unreadable):
        port.value("link_downed")


@pytest.mark.parametrize("name", ["failed-sysfs.txt", "empty.txt"])
def test_no_devices_is_unreadable(name: str) -> None:
    with pytest.raises(Unreadable):
        ib_port.read(ended(capture("infiniband", name), rc=2))
    with pytest.raises(Unreadable):
        ib_port.parse_counters(capture("infiniband", name))


@pytest.mark.parametrize(
    ("old", "new"),
    [("4: ACTIVE", "ACTIVE"), ("400 Gb/sec", "fast"), ("0x2a", "lid"), ("a088:c203", "a088")],
)
def test_strange_values_are_unreadable(old: str, new: str) -> None:
    with pytest.raises(Unreadable):
        ib_port.parse(capture("infiniband", "healthy-sysfs.txt").replace(old, new))


def test_ibstat_reads_several_adapters() -> None:
    first, second = ibstat.read(ended(capture("ibstat", "healthy.txt")))
    assert (first.name, first.ca_type, first.firmware) == ("mlx5_0", "MT4129", "28.43.2026")
    port = second.ports[0]
    assert (port.state, port.physical_state, port.rate_gbps) == ("Active", "LinkUp", 400.0)
    assert (port.base_lid, port.sm_lid, port.port_guid) == (43, 1, "a088c20300aa0b11")


def test_ibstat_reads_blank_fields_and_other_names() -> None:
    down, soft = ibstat.parse(capture("ibstat", "degraded.txt"))
    assert (down.name, down.ports[0].state) == ("ibp1s0", "Down")
    assert (soft.ca_type, soft.firmware, soft.node_guid) == (None, None, None)
    assert (soft.ports[0].link_layer, soft.ports[0].rate_gbps) == ("Ethernet", 2.5)


def test_ibstat_that_fails_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="ibpanic"):
        ibstat.read(ended(stderr=capture("ibstat", "failed.txt"), rc=255))
    with pytest.raises(ToolMissing):
        ibstat.read(ended(rc=127))


@pytest.mark.parametrize(
    "text",
    [
        "",
        capture("ibstat", "healthy.txt") * 2,
        capture("ibstat", "failed.txt"),
    ],
)
def test_ibstat_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ibstat.parse(text)


def test_rdma_links_are_read() -> None:
    first, second = rdma_link.read(ended(capture("rdma-link", "healthy.json")))
    assert (first.ifname, first.port, first.state) == ("mlx5_0", 1, "ACTIVE")
    assert (first.physical_state, first.netdev) == ("LINK_UP", "ibp3s0")
    assert second.netdev is None
    [down] = rdma_link.parse(capture("rdma-link", "degraded.json"))
    assert (down.state, down.physical_state) == ("DOWN", "POLLING")


def test_plain_rdma_lines_are_read() -> None:
    first, second = rdma_link.parse(capture("rdma-link", "plain.txt"))
    assert (first.ifname, first.netdev) == ("mlx5_0", "ens6f0np0")
    assert (second.ifname, second.port, second.netdev) == ("rxe0", 1, None)


def test_a_host_without_rdma_says_so() -> None:
    assert rdma_link.parse("[ ]\n") == ()


@pytest.mark.parametrize(
    "text", ["", '[{"port":1}]', "[1]", '[{"ifname":"a"}]', capture("rdma-link", "failed.txt")]
)
def test_rdma_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        rdma_link.parse(text)
