"""The readers give the right values for outputs of real tools.

The samples stay outside the repository, in `shared/corpus` beside it; without that folder these
tests are skipped and say so. The right values are those of its INDEX.md, by sample number.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools import (
    ib_port,
    ibstat,
    nccl_tests,
    nvbandwidth,
    nvbandwidth_text,
    nvidia_smi,
    nvlink_status,
    perftest,
    rdma_link,
)

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


def sample(tool: str, number: str) -> str:
    """The one file of that number; skips where the corpus, or the sample, is absent."""
    if not CORPUS.is_dir():
        pytest.skip("no folder shared/corpus beside the repository: real outputs not checked")
    found = sorted((CORPUS / tool).glob(f"{number}-*"))
    if not found:
        pytest.skip(f"shared/corpus/{tool} has no sample {number}")
    return found[0].read_text(encoding="utf-8", errors="replace")


# Number, rows, rows of size 0, largest size, (time, busbw, wrong) out of place and in place,
# average, ranks listed, ranks.
Half = tuple[float, float, float | None]
Nccl = tuple[str, int, int, int, Half, Half, float, int, int | None]
NCCL: list[Nccl] = [
    ("01", 34, 2, 2**33, (63896, 235.26, None), (63959, 235.03, None), 68.4048, 8, 8),
    ("03", 34, 2, 2**33, (37613, 228.38, None), (37539, 228.83, None), 65.018, 8, 8),
    ("04", 34, 5, 2**33, (32464, 231.52, None), (32502, 231.25, None), 60.168, 8, 8),
    ("05", 34, 5, 2**33, (33646, 223.39, None), (32669, 230.07, None), 58.2651, 8, 8),
    ("06", 5, 0, 2**33, (20299, 834.57, 0), (20006, 846.82, 0), 745.53, 1, 72),
    ("08", 6, 0, 2**34, (84625, 405.74, 0), (84828, 404.77, 0), 297.808, 1, 1440),
    ("09", 5, 0, 2**34, (68359, 471.22, 0), (68427, 470.75, 0), 464.075, 16, 16),
    ("11", 31, 5, 2**33, (42668.7, 188.73, 0), (42630.7, 188.90, 0), 53.8932, 0, None),
    ("12", 10, 0, 2**29, (7098.6, 70.90, None), (7054.3, 71.35, None), 30.9622, 0, None),
    ("14", 25, 0, 2**27, (1916.4, 122.57, 0), (1907.8, 123.11, 0), 19.7866, 8, 8),
    ("16", 3, 0, 2**34, (92173, 369.86, 0), (92284, 369.42, 0), 84.0569, 0, None),
    ("18", 29, 0, 2**31, (175667, 22.92, 5e-07), (176189, 22.85, 5e-07), 7.76739, 0, None),
    ("19", 25, 0, 2**27, (43293, 5.43, 0), (43396, 5.41, 0), 1.58767, 8, 8),
    ("21", 1, 0, 2**25, (25.74, 0, 0), (0.37, 0, 0), 0, 1, 1),
    ("23", 1, 0, 2**25, (25.70, 0, 0), (0.19, 0, 0), 0, 1, 1),
    ("27", 3, 0, 2**29, (2789.9, 192.43, 0), (2793.6, 192.18, 0), 179.465, 0, None),
]


@pytest.mark.parametrize("case", NCCL, ids=[case[0] for case in NCCL])
def test_nccl_reports(case: Nccl) -> None:
    number, rows, empty, size, out, into, average, listed, ranks = case
    report = nccl_tests.parse(sample("nccl-tests", number))
    row = report.row(size)
    group = row.in_place
    assert (len(report.rows), sum(item.size_bytes == 0 for item in report.rows)) == (rows, empty)
    assert max(item.size_bytes for item in report.rows) == size
    found = row.out_of_place
    assert (found.time_us, found.busbw_gbytes, found.wrong) == out
    assert group is not None
    assert (group.time_us, group.busbw_gbytes, group.wrong) == into
    assert (report.out_of_bounds, report.bounds_ok) == (0, True)
    assert (report.avg_busbw_gbytes, report.avg_ok) == (average, number != "23")
    assert (len(report.devices), report.ranks) == (listed, ranks)


def test_nccl_details() -> None:
    assert nccl_tests.parse(sample("nccl-tests", "09")).nccl_version == "2.23.4+cuda12.6"
    assert nccl_tests.parse(sample("nccl-tests", "14")).devices[5].pci == "0019:01:00.0"
    assert nccl_tests.parse(sample("nccl-tests", "21")).rows[0].iterations == 20
    assert nccl_tests.parse(sample("nccl-tests", "16")).elided


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("20", "remote process exited"),
        ("25", "unhandled cuda error"),
        ("29", "different NUMA domains"),
        ("30", "invalid usage"),
    ],
)
def test_nccl_failures(number: str, said: str) -> None:
    with pytest.raises(ToolFailed, match=said):
        nccl_tests.parse(sample("nccl-tests", number))


def test_nvidia_smi_gb200() -> None:
    log = nvidia_smi.parse(sample("nvidia-smi", "01"))
    assert log.driver_version == "580.173.02"
    buses = ["0000:29:00.0", "0000:3f:00.0", "0000:9c:00.0", "0000:b2:00.0"]
    assert [gpu.pci for gpu in log.gpus] == buses
    assert [gpu.temperature_c for gpu in log.gpus] == [27, 28, 27, 26]
    for gpu in log.gpus:
        assert gpu.fabric is not None
        assert (gpu.fabric.state, gpu.fabric.status) == ("Completed", "Success")
        assert (gpu.fabric.clique_id, gpu.fabric.clustered) == (2, True)
        assert (gpu.fabric.health["summary"], gpu.fabric.health["bandwidth"]) == ("Healthy", "Full")
        assert gpu.fabric.health["route_unhealthy"] == "False"
        assert (gpu.ecc_volatile.uncorrectable, gpu.ecc_aggregate.uncorrectable) == (0, 0)
        assert (gpu.pcie_gen_current, gpu.pcie_width_current) == (5, 16)
    assert len({gpu.fabric.cluster_uuid for gpu in log.gpus if gpu.fabric}) == 1
    assert len({gpu.serial for gpu in log.gpus}) == 2


def test_nvidia_smi_b200() -> None:
    log = nvidia_smi.parse(sample("nvidia-smi", "03"))
    assert (log.driver_version, len(log.gpus)) == ("580.105.08", 8)
    assert [gpu.temperature_c for gpu in log.gpus[:2]] == [39, 53]
    for gpu in log.gpus:
        assert gpu.fabric is not None
        assert (gpu.fabric.state, gpu.fabric.clique_id) == ("Completed", 0)
        assert not gpu.fabric.clustered
        assert (gpu.fabric.health["summary"], gpu.fabric.health["bandwidth"]) == ("Healthy", None)


def test_nvidia_smi_lost_gpu() -> None:
    first, lost = nvidia_smi.parse(sample("nvidia-smi", "06")).gpus
    assert (first.pci, first.lost, first.temperature_c) == ("0000:0a:00.0", False, 63)
    assert (first.ecc_volatile.dram, first.ecc_aggregate.dram) == (5, 8)
    assert (lost.lost, lost.product, lost.temperature_c) == (True, "NVIDIA GB200", None)
    assert (lost.ecc_volatile.uncorrectable, lost.fabric and lost.fabric.state) == (None, None)


def test_nvidia_smi_ecc() -> None:
    first, second = nvidia_smi.parse(sample("nvidia-smi", "07")).gpus
    assert (first.ecc_volatile.dram, first.ecc_aggregate.dram) == (5, 8)
    assert first.ecc_volatile.sram is None
    assert second.ecc_volatile.dram == 0


def test_nvidia_smi_old_driver() -> None:
    [gpu] = nvidia_smi.parse(sample("nvidia-smi", "09")).gpus
    assert (gpu.fabric, gpu.temperature_c) == (None, 40)
    assert (gpu.pcie_gen_current, gpu.pcie_width_current) == (3, 8)
    assert [process.pid for process in gpu.processes] == [675, 5762]


def test_nvidia_smi_device_handle() -> None:
    log = nvidia_smi.parse(sample("nvidia-smi", "35"))
    assert [(gpu.pci, gpu.lost) for gpu in log.gpus] == [("0000:34:00.0", True)]
    assert not log.complete


@pytest.mark.parametrize(
    ("number", "gpus", "active", "rate"),
    [("12", 1, 18, 26.562), ("18", 1, None, None), ("25", 1, 12, 25.0), ("29", 8, 96, 25.0)],
)
def test_nvlink(number: str, gpus: int, active: int | None, rate: float | None) -> None:
    found = nvlink_status.parse(sample("nvidia-smi", number))
    counts = [gpu.active for gpu in found if gpu.active is not None]
    assert (len(found), sum(counts) if counts else None) == (gpus, active)
    assert {link.rate_gbytes for gpu in found for link in gpu.links or ()} == (
        {rate} if rate else set()
    )


def test_nvbandwidth_json() -> None:
    text = sample("nvbandwidth", "06")
    with pytest.raises(Implausible, match=r"20841\.13"):
        nvbandwidth.parse(text)
    [case] = nvbandwidth.parse(text, check_sum=False).testcases
    assert (len(case.matrix), len(case.matrix[0]), case.sum_gbytes) == (2, 8, 20841.13)
    assert (min(case.cells), max(case.cells), case.passed) == (370.90, 374.39, True)


def test_nvbandwidth_text() -> None:
    report = nvbandwidth_text.parse(sample("nvbandwidth", "01"))
    assert len(report.testcases) == 15
    assert report.test("host_to_device_memcpy_ce").sum_gbytes == 1985.60
    latency = report.test("host_device_latency_sm")
    assert (latency.cells, latency.unit) == ((772.58,), "ns")
    [case] = nvbandwidth_text.parse(sample("nvbandwidth", "02")).testcases
    assert (len(case.cells), min(case.cells), max(case.cells)) == (56, 797.65, 798.25)
    assert case.sum_gbytes == 44685.29
    with pytest.raises(Unreadable, match="cut short"):
        nvbandwidth_text.parse(sample("nvbandwidth", "04"))


def test_sysfs() -> None:
    text = sample("infiniband", "15")
    devices, counters = ib_port.parse(text), ib_port.parse_counters(text)
    assert [device.name for device in devices] == ["mlx5_0", "mlx5_1"]
    for device in devices:
        port = device.port()
        assert (port.state_number, port.state) == (4, "ACTIVE")
        assert (port.rate_gbps, port.width, port.speed) == (400.0, "4X", "NDR")
    assert [port.value("link_downed") for port in counters] == [0, 255]
    assert counters[0].value("port_rcv_data") == 230539874932483


def test_ibstat() -> None:
    [adapter] = ibstat.parse(sample("infiniband", "17").split("\n\n")[0])
    port = adapter.ports[0]
    assert (adapter.firmware, adapter.node_guid) == ("28.40.1000", "c470bd0300cf4964")
    assert (port.state, port.physical_state, port.rate_gbps) == ("Active", "LinkUp", 200)
    assert (port.base_lid, port.sm_lid) == (48, 48)
    [soft] = ibstat.parse(sample("infiniband", "19"))
    assert (soft.firmware, soft.ports[0].state, soft.ports[0].rate_gbps) == (None, "Active", 2.5)
    assert soft.ports[0].link_layer == "Ethernet"
    [renamed] = ibstat.parse(sample("infiniband", "20"))
    assert (renamed.name, renamed.ports[0].rate_gbps) == ("rdma0", 100)


def test_rdma_link() -> None:
    links = rdma_link.parse(sample("infiniband", "35"))
    assert [link.netdev for link in links] == ["ens6f0np0", "ens6f1np1", "ens33", None]
    assert {(link.state, link.physical_state) for link in links} == {("ACTIVE", "LINK_UP")}


MIB = perftest.MIB_PER_S_IN_GBPS


@pytest.mark.parametrize(
    ("number", "rows", "size", "average"),
    [
        ("03", 23, 8388608, 197.48),
        ("06", 1, 65536, 92.40),
        ("09", 6, 64, 158.25 * MIB),
        ("10", 14, 16384, 26.71),
        ("11", 1, 65536, 10401.68 * MIB),
    ],
)
def test_perftest_bandwidth(number: str, rows: int, size: int, average: float) -> None:
    found = perftest.parse_bandwidth(sample("perftest", number))
    assert (len(found), found[-1].size_bytes) == (rows, size)
    assert found[-1].average_gbps == pytest.approx(average)


def test_perftest_two_reports_in_one_output() -> None:
    text = sample("perftest", "01")
    with pytest.raises(Unreadable, match="2 reports"):
        perftest.parse_bandwidth(text)
    for half in text.split("* Waiting for client"):
        [row] = perftest.parse_bandwidth(half)
        assert (row.size_bytes, row.mpps) == (8388608, 0.003007)
        assert row.peak_gbps == pytest.approx(24056.74 * MIB)
        assert row.average_gbps == pytest.approx(24056.72 * MIB)


def test_perftest_latency() -> None:
    [row] = perftest.parse_latency(sample("perftest", "05"))
    assert (row.size_bytes, row.min_us, row.max_us, row.typical_us) == (2, 5.35, 11.78, 5.49)
    assert (row.average_us, row.stdev_us, row.p99_us, row.p999_us) == (5.50, 0.18, 5.74, 11.78)
    rows = perftest.parse_latency(sample("perftest", "12"))
    assert (len(rows), rows[0].average_us, rows[0].p999_us) == (7, 1.03, 5.42)


def test_perftest_json() -> None:
    text = sample("perftest", "14")
    [row] = perftest.parse_bandwidth_json(text)
    assert (row.size_bytes, row.average_gbps, row.peak_gbps) == (65536, 2229.27, 5293.52)
    [other] = perftest.parse_bandwidth_json(text, "MiB/sec")
    assert other.average_gbps == pytest.approx(2229.27 * MIB)
