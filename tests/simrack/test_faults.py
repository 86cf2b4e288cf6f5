"""Every fault of the library shows in the tool that real hardware would show it in."""

from __future__ import annotations

import re

import pytest

from fixtures.model.errors import InventoryError
from tests.simrack.bench import Bench, bench

TRAY, GPU, PORT = "r01-ct02", "r01-ct02/gpu1", "r01-ct02/mlx5_2/1"


def smi(rack: Bench, host: str = TRAY) -> str:
    return rack.run(host, "nvidia-smi", "-q", "-x").stdout.decode()


def test_a_missing_gpu_shifts_the_indices_of_the_others() -> None:
    rack = bench("rack7", f"gpu.missing@{GPU}")
    assert re.findall(r'<gpu id="([^"]+)"', smi(rack)) == [
        "00000008:01:00.0",
        "00000018:01:00.0",
        "00000019:01:00.0",
    ]
    assert "<attached_gpus>3</attached_gpus>" in smi(rack)
    assert rack.ask(TRAY, "nvidia-smi", "nvlink", "-s").count("GPU ") == 3
    file = "/sys/bus/pci/devices/0009:01:00.0/current_link_width"
    assert rack.run(TRAY, "grep", "-s", "", file).rc == 2


def test_a_lost_gpu_is_listed_and_says_so() -> None:
    rack = bench("rack7", f"gpu.lost@{GPU}")
    assert rack.run(TRAY, "nvidia-smi", "-q", "-x").rc == 15
    assert "<remapped_rows>GPU is lost</remapped_rows>" in smi(rack)
    assert "<state>GPU is lost</state>" in smi(rack)
    assert smi(rack).count("<gpu_temp>GPU is lost</gpu_temp>") == 1
    assert "GPU is lost" in rack.ask(TRAY, "nvidia-smi", "nvlink", "-s")
    assert b"CUDA_ERROR_UNKNOWN" in rack.run(TRAY, "nvbandwidth", "-j", "-t", "any").stdout


def test_a_row_that_waits_for_a_reset_is_pending() -> None:
    text = smi(bench("rack7", f"gpu.remap_pending@{GPU}"))
    assert text.count("<remapped_row_pending>Yes</remapped_row_pending>") == 1
    assert text.count("<remapped_row_pending>No</remapped_row_pending>") == 3


@pytest.mark.parametrize(
    ("fault", "element"),
    [
        ("fabric.in_progress", "<state>In Progress</state>"),
        ("fabric.insufficient_resources", "<status>Insufficient Resources</status>"),
    ],
)
def test_a_gpu_outside_its_fabric_has_no_cluster(fault: str, element: str) -> None:
    rack = bench("rack7", f"{fault}@{GPU}")
    assert smi(rack).count(element) == 1
    assert smi(rack).count("<clusterUuid>00000000-0000-0000-0000-000000000000</clusterUuid>") == 1
    assert rack.run(TRAY, "nvbandwidth", "-j", "-t", "any").rc == 1


@pytest.mark.parametrize("part", [f"{GPU}:link=5", f"{GPU}/link5"])
def test_a_link_is_down_or_slow(part: str) -> None:
    down = bench("rack7", f"nvlink.link_down@{part}")
    assert "Link 5: <inactive>" in down.ask(TRAY, "nvidia-smi", "nvlink", "-s")
    assert "<summary>Limited Capacity</summary>" in smi(down)
    slow = bench("rack7", f"nvlink.slow_lane@{part}")
    assert "Link 5: 26.562 GB/s" in slow.ask(TRAY, "nvidia-smi", "nvlink", "-s")


def test_a_port_is_down_or_trained_to_another_rate() -> None:
    folder = "/sys/class/infiniband/mlx5_2/ports/1"
    down = bench("rack7", f"port.down@{PORT}")
    assert down.ask(TRAY, "cat", f"{folder}/state") == "1: DOWN\n"
    assert "Physical state: Polling" in down.ask(TRAY, "ibstat", "mlx5_2")
    assert '"state":"DOWN","physical_state":"POLLING"' in down.ask(TRAY, "rdma", "-j", "link")
    slow = bench("rack7", f"port.wrong_rate@{PORT}")
    assert slow.ask(TRAY, "cat", f"{folder}/rate") == "200 Gb/sec (4X HDR)\n"


def test_a_driver_that_is_not_allowed_is_the_same_in_every_view() -> None:
    rack = bench("rack7", f"driver.mismatch@{TRAY}:version=570.10.01")
    assert "570.10.01" in rack.ask(TRAY, "cat", "/proc/driver/nvidia/version")
    assert "<driver_version>570.10.01</driver_version>" in smi(rack)
    assert "580.95.05" in rack.ask("r01-ct01", "cat", "/proc/driver/nvidia/version")


def test_a_clock_is_ahead() -> None:
    rack = bench("rack7", f"clock.skew@{TRAY}:seconds=90")
    ahead = float(rack.ask(TRAY, "date", "+%s.%N")) - float(rack.ask("r01-ct01", "date", "+%s.%N"))
    assert ahead == pytest.approx(90, abs=5)


def test_a_tool_is_missing_or_hangs() -> None:
    missing = bench("rack7", f"tool.missing@{TRAY}")
    assert missing.run(TRAY, "nvidia-smi").stderr == b"sh: 1: nvidia-smi: not found\n"
    assert missing.run(TRAY, "timeout", "1", "nvidia-smi").rc == 127
    hanging = bench("rack7", f"tool.hangs@{TRAY}:tool=ibstat")
    outcome = hanging.run(TRAY, "timeout", "-k", "2", "0.1", "ibstat")
    assert (outcome.rc, outcome.timed_out) == (124, True)


def test_host_faults_take_racks_and_the_whole_inventory() -> None:
    rack = bench("rack42", "host.hangs@r03", "clock.skew@rack42:seconds=2")
    mute = [host.name for host in rack.site.world.hosts.values() if host.reach == "mute"]
    assert len(mute) == 27
    assert {name[:3] for name in mute} == {"r03"}
    assert {host.skew_s for host in rack.site.world.hosts.values()} == {2.0}


def test_several_faults_hit_the_same_part() -> None:
    rack = bench("rack7", f"nvlink.link_down@{GPU}/link1", f"nvlink.link_down@{GPU}/link2")
    assert rack.ask(TRAY, "nvidia-smi", "nvlink", "-s").count("<inactive>") == 2


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("gpu.mising@r01-ct02/gpu1", "did you mean 'gpu.missing'"),
        ("gpu.missing@r01-ct02/gpu4", "there is no 'r01-ct02/gpu4'"),
        ("gpu.missing@r01-ct2/gpu1", "rack7 has no host 'r01-ct2'; did you mean 'r01-ct"),
        ("gpu.missing@r01-ct02", "gpu.missing takes a gpu"),
        ("gpu.lost@r01-ct02/gpu1/link0", "gpu.lost takes a gpu"),
        ("port.down@r01-ct02/mlx5_9", "there is no 'r01-ct02/mlx5_9'"),
        ("host.hangs@r02", "did you mean 'r01'"),
        ("host.hangs@r01-ct02/gpu1", "host.hangs takes a host"),
        ("nvlink.link_down@r01-ct02/gpu1/link18", "link0 to link17"),
        ("clock.skew@r01-ct02:second=3", "did you mean 'seconds'"),
        ("clock.skew@r01-ct02:seconds=soon", "'soon' is not a number"),
    ],
)
def test_a_fault_that_does_not_fit_is_refused(fault: str, says: str) -> None:
    with pytest.raises(InventoryError, match=re.escape(says)):
        bench("rack7", fault)
