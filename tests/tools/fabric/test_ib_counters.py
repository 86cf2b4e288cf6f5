"""Counters of InfiniBand ports, and which of them have stopped."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, Unreadable
from fixtures.tools.fabric import ib_port
from fixtures.tools.fabric.ib_counters import parse_counters, stopped
from tests.tools.captures import capture

ROOT = "/sys/class/infiniband/mlx5_0/ports/1"
CLASSIC = capture("infiniband", "classic-counters.txt")


def test_classic_counters_stop_at_their_own_width() -> None:
    """8 bits at 255, 16 at 65535, 4 at 15: PORT_PMA_ATTR of the kernel's sysfs.c."""
    [port] = parse_counters(CLASSIC)
    assert port.saturated == (
        *("link_downed", "symbol_error", "excessive_buffer_overrun_errors", "port_xmit_wait"),
    )
    assert port.counters["link_downed"] == 255
    with pytest.raises(Implausible, match="link_downed: 255 is saturated"):
        port.value("link_downed")


def test_a_wide_counter_may_stand_where_a_narrow_one_stops() -> None:
    [port] = parse_counters(CLASSIC)
    assert (port.value("port_rcv_errors"), port.value("out_of_sequence")) == (255, 15)
    assert port.value("port_xmit_data") == 230442669431839
    assert not stopped("link_downed", 256)


def test_the_largest_of_64_bits_is_read_and_refused_as_a_value() -> None:
    [port] = parse_counters(f"{ROOT}/counters/port_rcv_data:{2**64 - 1}\n")
    assert port.counters["port_rcv_data"] == 2**64 - 1
    with pytest.raises(Implausible):
        port.value("port_rcv_data")
    with pytest.raises(Unreadable, match="expected a counter"):
        parse_counters(f"{ROOT}/counters/port_rcv_data:{2**64}\n")


def test_counters_of_a_device_are_not_of_its_port() -> None:
    [port] = parse_counters(CLASSIC)
    assert "lifespan" not in port.hw_counters


def test_two_snapshots_in_one_text_are_unreadable() -> None:
    twice = f"{ROOT}/counters/link_downed:1\n{ROOT}/counters/link_downed:2\n"
    with pytest.raises(Unreadable, match="stands there twice"):
        parse_counters(twice)
    with pytest.raises(Unreadable, match="stands there twice"):
        ib_port.parse(f"{ROOT}/state:4: ACTIVE\n{ROOT}/state:1: DOWN\n")


def test_a_last_line_that_was_cut_is_no_value() -> None:
    [port] = parse_counters(f"{ROOT}/counters/link_downed:0\n{ROOT}/counters/port_rcv_data:2304")
    assert "port_rcv_data" not in port.counters


@pytest.mark.parametrize(
    "path",
    [
        ROOT,
        "/sys/devices/pci0000:17/0000:17:01.0/0000:18:00.0/infiniband/mlx5_0/ports/1",
        "mlx5_0/ports/1",
        "./mlx5_0/ports/1",
        "infiniband/mlx5_0/ports/1",
    ],
)
def test_paths_are_read_from_wherever_they_were_asked(path: str) -> None:
    text = f"$ grep -r . {path}\n{path}/state:4: ACTIVE\n{path}/rate:800 Gb/sec (4X XDR)\n"
    [device] = ib_port.parse(text)
    port = device.port()
    assert (device.name, port.state, port.rate_gbps) == ("mlx5_0", "ACTIVE", 800)
    assert (port.width, port.speed) == ("4X", "XDR")


def test_what_head_prints_is_read() -> None:
    [device] = ib_port.parse(capture("infiniband", "paths-sysfs.txt"))
    assert (device.name, device.port().state, device.port().speed) == ("mlx5_2", "ACTIVE", "HDR")


def test_states_without_a_name_have_a_number() -> None:
    port = ib_port.parse(f"{ROOT}/phys_state:0: <unknown>\n")[0].port()
    assert (port.phys_state_number, port.phys_state) == (0, None)


@pytest.mark.parametrize("line", ["state:4: ACT", "lid:30", "rate:400 Gb/sec (4X", "gids/0:none"])
def test_half_a_value_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable):
        ib_port.parse(f"{ROOT}/{line}\n")


def test_digits_of_other_scripts_are_no_number() -> None:
    """`int` reads Arabic digits, and so does a regular expression that is not ASCII."""
    [device] = ib_port.parse("/sys/class/infiniband/mlx5_0/ports/1\u0663/state:4: ACTIVE\n")
    assert device.ports == ()
