"""The NVIDIA driver's messages: one message is one event, and its fields are right."""

from __future__ import annotations

import pytest

from tests.tools.hosts.logs import dmesg, read


@pytest.mark.parametrize(
    ("message", "code", "pid", "process", "detail"),
    [
        ("(0000:03:00): 14, Channel 00000001", 14, None, None, "Channel 00000001"),
        ("(PCI:0000:03:00): 31, pid=812, Ch 00000010", 31, 812, None, "Ch 00000010"),
        ("(PCI:0000:03:00): 48, pid='<unknown>', name=<unknown>, DBE", 48, None, None, "DBE"),
        ("(PCI:0000:03:00): 13, pid=9, name=CPU 0/KVM, Graphics", 13, 9, "CPU 0/KVM", "Graphics"),
        (
            "(PCI:0000:03:00): 43, pid=9, name=ray::Run, Ch 1, eng 2",
            43,
            9,
            "ray::Run",
            "Ch 1, eng 2",
        ),
        ("(PCI:0000:03:00): 62, 0a4a(1b60) 00000000", 62, None, None, "0a4a(1b60) 00000000"),
        ("(PCI:0000:03:00): 45, pid=9, name=x, ", 45, 9, "x", ""),
    ],
)
def test_an_xid_has_its_process_and_its_text(
    message: str, code: int, pid: int | None, process: str | None, detail: str
) -> None:
    (xid,) = dmesg(f"NVRM: Xid {message}").xids
    assert (xid.code, xid.pid, xid.process, xid.detail) == (code, pid, process, detail)
    assert xid.pci == "0000:03:00.0"


def test_an_xid_of_a_mig_instance_and_one_caused_by_another() -> None:
    first, second = read("degraded-ctime.txt").xids
    assert (first.gpu_instance, first.compute_instance, first.caused_by) == (2, 1, None)
    assert second.caused_by == 31


def test_an_nvlink_error_has_unit_severity_link_and_registers() -> None:
    first, second, third = read("failed-journal.txt").xids
    assert first.nvlink is not None
    assert second.nvlink is not None
    assert (first.nvlink.unit, first.nvlink.fatal, first.nvlink.link) == ("RLW_REMAP", False, 5)
    assert first.nvlink.cross_contained
    assert (second.nvlink.unit, second.nvlink.fatal) == ("NETIR_LINK_DOWN", True)
    assert second.nvlink.sub_code == 4
    assert third.recovery is not None
    assert third.recovery.to_action == "Drain and Reset"


def test_link_minus_one_is_no_link() -> None:
    (xid,) = dmesg("NVRM: Xid (PCI:0000:03:00): 149, NETIR Fatal XC0 i0 Link -1 (0x000fe406)").xids
    assert xid.nvlink is not None
    assert xid.nvlink.link is None
    assert xid.nvlink.error_status is None


def test_an_nvlink_message_in_other_words_is_kept_as_text() -> None:
    (xid,) = dmesg("NVRM: Xid (PCI:0000:03:00): 149, something new").xids
    assert (xid.nvlink, xid.detail) == (None, "something new")


def test_the_lines_of_a_gsp_timeout_are_one_event() -> None:
    log = dmesg(
        "NVRM: GPU at PCI:0000:9b:00: GPU-00000000-1111-4222-8333-444444444444",
        "NVRM: GPU Board Serial Number: 1650000000001",
        "NVRM: Xid (PCI:0000:9b:00): 119, pid=8, name=x, Timeout after 6s of waiting for RPC",
        "NVRM: GPU4 RPC history (CPU -> GSP):",
        "NVRM:     entry function                   data0              data1",
        "NVRM:      0    103  GSP_RM_ALLOC          0x0000000000002081 0x0000000000000004",
        "CPU: 17 PID: 8 Comm: x Tainted: P           OE     6.8.0",
        "NVRM: Rate limiting GSP RPC error prints for GPU at PCI:0000:9b:00 "
        "(printing 1 of every 30).  The GPU likely needs to be reset.",
    )
    assert len(log.xids) == 1
    assert log.gpus[0].board_serial == "1650000000001"
    assert log.gsp_rate_limits[0].one_of == 30


def test_an_nvswitch_error_is_one_event_of_three_lines() -> None:
    (sxid,) = read("failed-kmsg.txt").sxids
    assert (sxid.switch, sxid.pci, sxid.code, sxid.link) == (1, "0000:c3:00.0", 23009, 11)
    assert sxid.fatal
    (other,) = dmesg("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 22013, Non-fatal, Link 10 x").sxids
    assert other.fatal is False


@pytest.mark.parametrize(
    "lines",
    [
        ["NVRM: GPU 0000:05:00.0: GPU has fallen off the bus."],
        ["NVRM: GPU at 0000:05:00.0 has fallen off the bus."],
        [
            "NVRM: The NVIDIA GPU 0000:05:00.0",
            "NVRM: (PCI ID: 10de:2330) installed in this system has",
            "NVRM: fallen off the bus and is not responding to commands.",
        ],
    ],
)
def test_a_lost_gpu_is_named_in_every_wording(lines: list[str]) -> None:
    assert [lost.pci for lost in dmesg(*lines).gpus_lost] == ["0000:05:00.0"]


def test_an_init_failure_of_two_lines_is_one_event() -> None:
    (failure,) = read("failed-journal.txt").gpu_init_failures
    assert (failure.pci, failure.minor, failure.codes) == ("0019:01:00.0", 3, "0x62:0x40:2404")
    (old,) = dmesg(
        "NVRM: rm_init_adapter failed for device bearing minor number 5"
    ).gpu_init_failures
    assert (old.pci, old.minor) == (None, 5)


@pytest.mark.parametrize(
    "lines",
    [
        [
            "NVRM: API mismatch: the client has the version 575.57.08, but",
            "NVRM: this kernel module has the version 575.51.03.  Please",
            "NVRM: make sure that this kernel module and all NVIDIA driver",
            "NVRM: components have the same version.",
        ],
        [
            "NVRM: API mismatch: the client 'nvidia-smi' (pid 4)",
            "NVRM: has the version 575.57.08, but this kernel module has",
            "NVRM: the version 575.51.03.  Please",
        ],
    ],
)
def test_a_version_mismatch_is_one_event(lines: list[str]) -> None:
    (event,) = dmesg(*lines).driver_mismatches
    assert (event.client_version, event.module_version) == ("575.57.08", "575.51.03")
