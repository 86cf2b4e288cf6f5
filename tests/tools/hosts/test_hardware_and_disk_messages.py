"""Messages of firmware records, memory, IOMMUs and disks: what was hit, and how badly."""

from __future__ import annotations

import pytest

from fixtures.tools.hosts.host_events import ErrorSource
from tests.tools.hosts.logs import dmesg, read


def test_a_firmware_record_names_severity_section_and_part() -> None:
    records = [
        (one.record, one.severity, one.section, one.fru_text, one.pci)
        for one in read("degraded-host.txt").hardware_errors
        if one.source is ErrorSource.FIRMWARE
    ]
    assert records == [
        (4, "corrected", "memory error", "DIMM_C2", None),
        (5, "recoverable", "PCIe error", None, "0006:01:00.0"),
    ]


def test_a_record_of_a_vendors_own_section_is_kept() -> None:
    (record,) = dmesg(
        "{1}[Hardware Error]: event severity: fatal",
        "{1}[Hardware Error]:   section type: unknown, 9068e568-6ca0-11f0-aeaf-159343591eac",
    ).hardware_errors
    assert record.severity == "fatal"
    assert record.section == "unknown, 9068e568-6ca0-11f0-aeaf-159343591eac"


def test_every_other_source_of_hardware_errors_is_told() -> None:
    others = [
        (one.source, one.severity)
        for one in read("degraded-host.txt").hardware_errors
        if one.source is not ErrorSource.FIRMWARE
    ]
    assert others == [
        (ErrorSource.EDAC, "CE"),
        (ErrorSource.MCE, "Corrected error, no action required"),
        (ErrorSource.MEMORY_FAILURE, None),
    ]


def test_the_two_lines_of_an_amd_machine_check_are_one_event() -> None:
    (check,) = dmesg(
        "[Hardware Error]: System Fatal error.",
        "[Hardware Error]: CPU:7 (19:11:1) MC0_STATUS[-|UE|MiscV]: 0xb2",
        "[Hardware Error]: Load Store Unit Ext. Error Code: 1",
    ).hardware_errors
    assert check.detail == "System Fatal error; CPU:7 (19:11:1) MC0_STATUS[-|UE|MiscV]: 0xb2"


def test_a_fatal_machine_check_and_its_reason_are_one_event() -> None:
    (check,) = dmesg(
        "mce: [Hardware Error]: CPU 0: Machine Check Exception: f Bank 3: bd80000000070134",
        "mce: [Hardware Error]: RIP 10:<ffffffff8372f8bc> {memchr_inv+0x4c/0xf0}",
        "mce: [Hardware Error]: Machine check: Data load in unrecoverable area of kernel",
    ).hardware_errors
    assert check.detail.endswith("bd80000000070134; Data load in unrecoverable area of kernel")


@pytest.mark.parametrize(
    "line",
    [
        "mce: CPU0: Thermal monitoring enabled (TM1)",
        "EDAC MC0: Giving out device to module amd64_edac controller",
        "nvme nvme0: 64/0/0 default/read/poll queues",
        "nvme nvme3: Abort status: 0x0",
        "CPU44: Core temperature/speed normal",
        "DMAR: Intel(R) Virtualization Technology for Directed I/O",
        "arm-smmu-v3 arm-smmu-v3.1.auto: ias 48-bit, oas 48-bit",
        "XFS (nvme0n1p1): Ending clean mount",
    ],
)
def test_what_is_no_fault_gives_no_event(line: str) -> None:
    log = dmesg(line)
    found = (log.hardware_errors, log.disk_faults, log.iommu_faults, log.thermal)
    assert found == ((), (), (), ())


def test_an_iommu_fault_names_the_device_where_the_kernel_does() -> None:
    smmu, amd, intel = read("degraded-host.txt").iommu_faults
    assert (smmu.unit, smmu.pci) == ("arm-smmu-v3.11.auto", "0008:01:00.0")
    assert smmu.detail.startswith("event: F_TRANSLATION")
    assert (amd.pci, intel.pci) == ("0003:03:00.0", "0000:5e:00.0")
    (old,) = dmesg("arm-smmu-v3 arm-smmu-v3.0.auto: event 0x10 received:").iommu_faults
    assert (old.pci, old.detail) == (None, "event 0x10 received")
    (unit,) = dmesg(
        "iommu ivhd0: AMD-Vi: Event logged [IOTLB_INV_TIMEOUT device=63:00.0 address=0x42]"
    ).iommu_faults
    assert unit.pci == "0000:63:00.0"


def test_a_disk_that_fails_is_named() -> None:
    assert [one.device for one in read("degraded-host.txt").disk_faults] == [
        *("nvme3", "nvme3", "nvme3n1"),
    ]
    (old,) = dmesg("blk_update_request: critical medium error, dev sda, sector 90").disk_faults
    assert (old.device, old.detail) == ("sda", "critical medium error, dev sda, sector 90")


def test_an_arm_abort_is_a_panic() -> None:
    (panic,) = read("degraded-host.txt").panics
    assert panic.detail.startswith("Internal error: synchronous external abort")


def test_an_adapter_that_did_not_come_up_is_one_event() -> None:
    first, stuck = read("failed-probe.txt").nic_faults
    assert (first.pci, first.detail) == (
        "0000:18:00.1",
        "mlx5_init_one failed with error code -110",
    )
    assert (stuck.pci, stuck.interface) == ("0000:18:00.0", "ens18f0np0")
    (alone,) = dmesg("mlx5_core: probe of 00e7:00:00.0 failed with error -12").nic_faults
    assert alone.pci == "00e7:00:00.0"
