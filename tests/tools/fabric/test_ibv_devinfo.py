"""`ibv_devinfo`, plain, `-v`, `-l`, and what people copy out of it."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import ibv_devinfo
from tests.tools.captures import capture, ended

HEALTHY = capture("ibv-devinfo", "healthy.txt")
VERBOSE = capture("ibv-devinfo", "verbose.txt")


def test_devices_and_ports_are_read() -> None:
    first, second = ibv_devinfo.read(ended(HEALTHY))
    assert (first.name, first.fw_ver, first.vendor_id) == ("mlx5_0", "28.43.2026", 0x02C9)
    assert (first.node_guid, second.board_id) == ("a088c20300aa0b10", "DEL0000000036")
    [port] = second.ports
    assert (port.number, port.state, port.state_code) == (1, "PORT_ACTIVE", 4)
    assert (port.sm_lid, port.port_lid, port.active_mtu) == (1, 43, 4096)
    assert (port.active_width, port.rate_gbps, second.complete) == (None, None, True)


def test_speed_is_of_one_lane_and_width_code_16_is_2x() -> None:
    ndr, roce = (device.ports[0] for device in ibv_devinfo.parse(VERBOSE))
    assert (ndr.active_width, ndr.active_width_code) == ("4X", 2)
    assert (ndr.active_lane_gbps, ndr.rate_gbps, ndr.effective_gbps) == (100, 400, 400)
    assert (roce.active_width, roce.active_width_code, roce.rate_gbps) == ("2X", 16, 100)


def test_gids_are_read_short_and_long() -> None:
    ndr, roce = (device.ports[0] for device in ibv_devinfo.parse(VERBOSE))
    assert [(gid.index, gid.version) for gid in ndr.gids] == [(0, None)]
    assert [(gid.index, gid.gid, gid.version) for gid in roce.gids][1:] == [
        (1, "fe80::a288:c2ff:feaa:b12", "RoCE v2"),
        (3, "::ffff:10.20.0.7", "RoCE v2"),
    ]


def test_codes_that_the_version_does_not_know_stay_unknown() -> None:
    down, new = ibv_devinfo.parse(capture("ibv-devinfo", "degraded.txt"))[0].ports
    assert (down.state, down.phys_state, down.port_lid) == ("PORT_DOWN", "DISABLED", 65535)
    assert (down.active_width, down.active_lane_gbps, down.rate_gbps) == (None, None, None)
    assert (new.active_width, new.active_width_code) == (None, 16)
    assert (new.active_lane_gbps, new.active_speed_code, new.rate_gbps) == (None, 256, 400)


def test_a_list_of_names_has_as_many_as_it_says() -> None:
    text = capture("ibv-devinfo", "names.txt")
    assert [device.name for device in ibv_devinfo.parse(text)] == ["mlx5_0", "mlx5_1"]
    assert ibv_devinfo.parse("0 HCAs found:\n\n") == ()
    with pytest.raises(Unreadable, match="3 names expected"):
        ibv_devinfo.parse(text.replace("2 HCAs", "3 HCAs"))


def test_excerpts_have_ports_without_number() -> None:
    first, second = ibv_devinfo.parse(capture("ibv-devinfo", "excerpt.txt"))
    assert (first.ports[0].number, first.ports[0].link_layer) == (None, "Ethernet")
    assert (second.ports[0].state, second.complete) == ("PORT_DOWN", False)


@pytest.mark.parametrize("size", range(1, len(HEALTHY) - 40, 11))
def test_a_cut_report_shows_which_devices_are_whole(size: int) -> None:
    try:
        devices = ibv_devinfo.parse(HEALTHY[:size])
    except Unreadable:
        return
    whole = [device for device in devices if device.complete]
    assert len(devices) - len(whole) <= 1
    assert all(port.port_lmc == 0 for device in whole for port in device.ports)


def test_no_devices_is_a_failure() -> None:
    with pytest.raises(ToolFailed, match="No IB devices found"):
        ibv_devinfo.read(ended(stderr=capture("ibv-devinfo", "failed.txt"), rc=255))
    with pytest.raises(ToolFailed, match="Failed to open device"):
        ibv_devinfo.read(ended(HEALTHY, stderr="Failed to open device"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY * 2,
        HEALTHY + "CA 'mlx5_0'\n",
        HEALTHY.replace("PORT_ACTIVE (4)", "PORT_ACT"),
        HEALTHY.replace("4096 (5)", "4096"),
        HEALTHY.replace("\t\tport:\t1\n", "", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ibv_devinfo.parse(text)


def test_lines_of_a_report_are_of_no_device() -> None:
    """`ibv_devinfo | grep state`"""
    [lines] = ibv_devinfo.parse("state: PORT_ACTIVE (4)\nstate: PORT_DOWN (1)\n")
    assert [port.state for port in lines.ports] == ["PORT_ACTIVE", "PORT_DOWN"]
    assert (lines.name, lines.complete) == (None, False)


def test_numbers_of_devices_may_have_gaps() -> None:
    """Names are the host's; a device that is not InfiniBand's has one of them, too."""
    devices = ibv_devinfo.parse(HEALTHY.replace("mlx5_1", "mlx5_11"))
    assert [device.name for device in devices] == ["mlx5_0", "mlx5_11"]
