"""What switch trays and GPUs print of the NVLink domain, as the suite's own readers take it."""

from __future__ import annotations

import pytest

from fixtures.tools.bit_error_rate import NO_ERRORS_SEEN
from fixtures.tools.nvlink import (
    nvlink_errors,
    nvlink_remote,
    nvos_diagnostics,
    nvos_interface,
    nvos_partition,
    nvos_platform,
)
from tests.simrack.bench import Bench, bench

SWITCH = "r01-sw04"


@pytest.fixture(scope="module")
def rack() -> Bench:
    return bench("rack7")


def test_ports_are_up_at_their_rate(rack: Bench) -> None:
    ports = nvos_interface.read(rack.result(SWITCH, nvos_interface.command()))
    assert [port.name for port in ports] == [f"acp{number}" for number in range(1, 145)]
    assert {(port.up, port.speed_gbps, port.lanes) for port in ports} == {(True, 400, "2X")}
    assert {port.effective_ber for port in ports} == {NO_ERRORS_SEEN}


def test_a_port_that_is_down_says_why() -> None:
    at = bench("rack7", "nvlink.link_down@r01-ct05/gpu2/link7")
    found = nvos_diagnostics.read(at.result(SWITCH, nvos_diagnostics.command()))
    assert [port.name for port in found if not port.no_issue] == ["acp91"]
    (one,) = nvos_interface.read(at.result(SWITCH, nvos_interface.command("acp91")))
    assert (one.up, one.physical_state, one.logical_state) == (False, "Polling", "Down")


def test_the_tray_says_what_it_is_and_runs(rack: Bench) -> None:
    bought = rack.inventory.hosts[SWITCH].serial
    platform = nvos_platform.read_platform(rack.result(SWITCH, nvos_platform.platform_command()))
    assert platform.serial_number == bought
    firmware = nvos_platform.read_firmware(rack.result(SWITCH, nvos_platform.firmware_command()))
    assert [one.component for one in firmware][:2] == ["ASIC1", "ASIC2"]
    version = nvos_platform.read_version(rack.result(SWITCH, nvos_platform.version_command()))
    assert version.image == f"nvos-{rack.inventory.firmware.nvos[0]}"


def test_the_partition_has_the_gpus_of_the_rack(rack: Bench) -> None:
    (one,) = nvos_partition.read(rack.result(SWITCH, nvos_partition.command()))
    assert (one.id, one.gpus, one.healthy) == (32766, 72, True)


def test_trunks_are_among_the_ports() -> None:
    ports = nvos_interface.read(bench("rack42").result(SWITCH, nvos_interface.command()))
    trunks = [port for port in ports if str(port.name).startswith("sw")]
    assert [port.name for port in trunks] == [f"sw1p{number}s1" for number in range(1, 8)]
    assert {(port.up, port.speed_gbps) for port in trunks} == {(True, 400)}


def test_what_the_switch_os_does_not_know_is_an_error(rack: Bench) -> None:
    assert rack.run(SWITCH, "nv", "show", "interface", "acp999", "-o", "json").rc == 1
    assert rack.run(SWITCH, "nv", "show", "weather", "-o", "json").rc == 1
    assert rack.run(SWITCH, "nvidia-smi").rc == 127


def test_a_gpu_says_at_which_port_its_link_ends(rack: Bench) -> None:
    gpus = nvlink_remote.read(rack.result("r01-ct05", nvlink_remote.command()))
    assert gpus[2].links is not None
    assert (gpus[2].links[7].remote_pci, gpus[2].links[7].remote_link) == (None, 91)
    gpus = nvlink_remote.read(bench("hgx8").result("hgx01", nvlink_remote.command()))
    assert sorted(gpus[0].peers.values()) == [4, 4, 5, 5]


def test_each_generation_has_the_error_counters_of_its_own(rack: Bench) -> None:
    (link, *_) = nvlink_errors.read(rack.result("r01-ct05", nvlink_errors.command()))[0].links or ()
    assert {"symbol_errors", "link_recovery_successful_events"} <= set(link.counters)
    old = bench("hgx8").result("hgx01", nvlink_errors.command())
    (link, *_) = nvlink_errors.read(old)[0].links or ()
    assert set(link.counters) == {"replay_errors", "recovery_errors", "crc_errors"}
