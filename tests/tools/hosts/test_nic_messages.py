"""Network drivers' messages: links, modules, commands, and links that flap."""

from __future__ import annotations

import pytest

from fixtures.tools.hosts import kernel_log
from fixtures.tools.hosts.nic_events import LinkState
from tests.tools.hosts.logs import dmesg, read


@pytest.mark.parametrize(
    ("message", "interface", "pci", "state"),
    [
        ("mlx5_core 0000:01:00.0 enp1s0: Link up", "enp1s0", "0000:01:00.0", LinkState.UP),
        ("mlx5_core enp1s0: Link down", "enp1s0", None, LinkState.DOWN),
        ("e1000e: eth1 NIC Link is Down", "eth1", None, LinkState.DOWN),
        ("ixgbe 0000:08:00.0 eth4: NIC Link is Up 10 Gbps", "eth4", "0000:08:00.0", LinkState.UP),
        (
            "igb 0000:04:00.0 eno1: igb: eno1 NIC Link is Up 1000",
            "eno1",
            "0000:04:00.0",
            LinkState.UP,
        ),
        ("tg3 0000:01:00.0 eth0: Link is down", "eth0", "0000:01:00.0", LinkState.DOWN),
        (
            "mlx5_core 0000:5e:00.0 mlx5_0: Port: 1 Link DOWN",
            "mlx5_0",
            "0000:5e:00.0",
            LinkState.DOWN,
        ),
        (
            "mlx5_core 0000:5e:00.0 mlx5_0: Port: 1 Link ACTIVE",
            "mlx5_0",
            "0000:5e:00.0",
            LinkState.UP,
        ),
    ],
)
def test_link_changes_of_drivers(
    message: str, interface: str, pci: str | None, state: LinkState
) -> None:
    (link,) = dmesg(message).links
    assert (link.interface, link.pci, link.state) == (interface, pci, state)


@pytest.mark.parametrize(
    "message",
    ["ata3: SATA link down (SStatus 0 SControl 300)", "usb 1-1: link down", "NVRM: link is down"],
)
def test_other_links_are_no_network_links(message: str) -> None:
    assert dmesg(message).links == ()


def test_modules_commands_and_health_of_nics() -> None:
    log = read("failed-journal.txt")
    (command,) = log.nic_commands
    assert (command.opcode, command.status, command.error) == (0x805, "bad parameter(0x3)", -22)
    assert not command.timed_out
    assert "health compromised" in log.nic_faults[0].detail
    (module,) = read("syslog-mixed.txt").modules
    assert module.failed
    assert module.reason == "Bus stuck (I2C or data shorted)"
    (slow,) = dmesg(
        "mlx5_core 0000:01:00.0: wait_func:1106:(pid 2): ENABLE_HCA(0x104) timeout."
    ).nic_commands
    assert slow.timed_out


def test_an_infiniband_port_that_waits_for_its_manager_is_not_up() -> None:
    message = "mlx5_core 0000:5e:00.0 mlx5_0: Port: 1 Link"
    log = dmesg(*(f"{message} {state}" for state in ("DOWN", "INIT", "ACTIVE")))
    states = [link.state for link in log.links]
    assert states == [LinkState.DOWN, LinkState.INIT, LinkState.UP]
    (flap,) = log.flaps
    assert flap.seconds == pytest.approx(2e-6)


def test_a_health_buffer_is_one_event() -> None:
    where = "mlx5_core 0000:d2:00.0: print_health_info:435:(pid 0): "
    log = dmesg(
        f"{where}Health issue observed, unrecoverable hardware error, severity(3) ERROR:",
        f"{where}assert_var[0] 0x00000001",
        f"{where}assert_var[1] 0x00000002",
        f"{where}hw_id 0x00000216",
        f"{where}synd 0x8: unrecoverable hardware error",
        "mlx5_core 0000:d3:00.0: print_health_info:435:(pid 0): synd 0x1: firmware internal error",
    )
    assert [fault.pci for fault in log.nic_faults] == ["0000:d2:00.0", "0000:d3:00.0"]
    assert log.nic_faults[0].detail.endswith("synd 0x8: unrecoverable hardware error")


def test_a_device_found_unhealthy_and_why_is_one_event_each_time() -> None:
    lines = [
        "mlx5_core 0000:0d:00.0: poll_health:801:(pid 0): device's health compromised - reached",
        "mlx5_core 0000:0d:00.0: print_health_info:431:(pid 0): Health issue observed, firmware x",
        "mlx5_core 0000:0d:00.0: print_health_info:435:(pid 0): assert_var[0] 0x0521945b",
    ]
    faults = dmesg(*lines, *lines, lines[1]).nic_faults
    assert len(faults) == 3
    assert faults[0].detail.endswith("; Health issue observed, firmware x")


@pytest.mark.parametrize(
    "message",
    [
        "mlx5_core 0000:12:00.0: mlx5_pcie_event:326:(pid 1): Detected insufficient power on",
        "mlx5_core 0000:12:00.0: poll_health:174: device's health compromised - reached miss",
        "NETDEV WATCHDOG: eth0 (mlx5_core): transmit queue 0 timed out",
        "NETDEV WATCHDOG: eth0 (mlx5_core): transmit queue timed out",
    ],
)
def test_faults_of_nics(message: str) -> None:
    assert len(dmesg(message).nic_faults) == 1


@pytest.mark.parametrize(
    "message",
    [
        "mlx5_core 0000:12:00.0: mlx5_pcie_event:294:(pid 1): PCIe slot advertised sufficient",
        "mlx5_core 0000:12:00.0: firmware version: 28.43.1014",
        "infiniband mlx5_0: dump_cqe:272:(pid 0): dump error cqe",
    ],
)
def test_what_is_no_fault_of_a_nic(message: str) -> None:
    assert dmesg(message).nic_faults == ()


def test_a_flap_is_a_down_with_the_next_up() -> None:
    (flap,) = read("degraded-ctime.txt").flaps
    assert (flap.interface, flap.seconds) == ("enp42s0np0", 12.0)
    still, ended = sorted(read("syslog-mixed.txt").flaps, key=lambda flap: flap.interface or "")
    assert (still.interface, still.up, still.seconds) == ("eno1", None, None)
    assert ended.seconds == pytest.approx(30.0)


def test_flaps_without_a_year_cross_midnight_and_new_year() -> None:
    text = (
        "Dec 31 23:59:50 h kernel: mlx5_core eth0: Link down\n"
        "Jan  1 00:00:10 h kernel: mlx5_core eth0: Link up\n"
    )
    assert [flap.seconds for flap in kernel_log.parse(text).flaps] == [20.0]


def test_flaps_of_hosts_that_somebody_folded_into_one_line() -> None:
    lines = [f"2026-08-07T09:00:00Z n{n} kernel: mlx5_core eth0: Link down" for n in (4, 5)]
    lines.append("2026-08-07T09:03:40Z n{4,5} kernel: mlx5_core eth0: Link up")
    flaps = kernel_log.parse("\n".join(lines)).flaps
    assert [(flap.host, flap.seconds) for flap in flaps] == [("n4", 220.0), ("n5", 220.0)]


@pytest.mark.parametrize(
    ("message", "pci", "module", "state", "reason"),
    [
        (
            "mlx5_core: Port module event[error]: module 0, Cable error, High Temperature",
            *(None, 0, "error", "High Temperature"),
        ),
        (
            "mlx5_core 0000:c1:00.1: Port module event: module 1, Cable unplugged",
            *("0000:c1:00.1", 1, "unplugged", None),
        ),
    ],
)
def test_a_module_that_is_hot_or_gone(
    message: str, pci: str | None, module: int, state: str, reason: str | None
) -> None:
    [event] = dmesg(message).modules
    assert (event.pci, event.module, event.state, event.reason) == (pci, module, state, reason)


def test_a_command_that_failed_may_stand_without_its_driver() -> None:
    [command] = dmesg(
        "mlx5_cmd_out_err:838:(pid 7): ACCESS_REG(0x805) op_mod(0x1) failed, "
        "status bad resource(0x5), syndrome (0x123456), err(-22)"
    ).nic_commands
    assert (command.command, command.opcode, command.error) == ("ACCESS_REG", 0x805, -22)
