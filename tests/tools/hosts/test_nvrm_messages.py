"""The NVIDIA driver's messages: one message is one event, and its fields are right."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
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


@pytest.mark.parametrize("address", ["0003:00", "0000:03:00", "PCI:0000:03:00"])
def test_the_oldest_drivers_print_bus_and_device_without_the_domain(address: str) -> None:
    (xid,) = dmesg(f"NVRM: Xid ({address}): 13, 0001 00000000 00008397").xids
    assert (xid.pci, xid.detail) == ("0000:03:00.0", "0001 00000000 00008397")


def test_an_xid_quoted_without_its_address_keeps_its_code() -> None:
    (xid,) = dmesg("NVRM: Xid 143, Error status 0x65 while polling for FSP boot complete").xids
    assert (xid.code, xid.pci) == (143, None)


def test_an_nvlink_error_that_lost_its_last_bracket_is_read_where_its_registers_are_whole() -> None:
    text = "NVRM: Xid (PCI:0000:c5:00): 145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 "
    (whole,) = dmesg(f"{text}(0x04084507 0x00000004").xids
    (torn,) = dmesg(f"{text}(0x04084507 0x0000").xids
    assert whole.nvlink is not None
    assert (whole.nvlink.link, whole.nvlink.error_status) == (17, 4)
    assert torn.nvlink is None


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


def test_an_nvswitch_error_that_is_cut_is_refused() -> None:
    with pytest.raises(Unreadable, match="SXid"):
        dmesg("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): garb")
    assert dmesg("nvidia-nvswitch: Probing device 0000:c1:00.0").sxids == ()


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
    ("lines", "found"),
    [
        (
            [
                "NVRM: failed to copy vbios to system memory.",
                "NVRM: RmInitAdapter failed! (0x30:0xffff:660)",
                "NVRM: rm_init_adapter(0) failed",
            ],
            [(None, 0, "0x30:0xffff:660")],
        ),
        (["nvidia: probe of 0000:5d:00.0 failed with error -1"], [("0000:5d:00.0", None, None)]),
        (["NVRM: None of the NVIDIA devices were initialized."], [(None, None, None)]),
        (
            [
                "NVRM: GPU 0000:09:00.0: RmInitAdapter failed! (0x22:0x56:894)",
                "NVRM: GPU 0000:09:00.0: rm_init_adapter failed, device minor number 0",
                "NVRM: GPU 0000:09:00.0: RmInitAdapter failed! (0x22:0x56:894)",
            ],
            [("0000:09:00.0", 0, "0x22:0x56:894"), ("0000:09:00.0", None, "0x22:0x56:894")],
        ),
    ],
)
def test_a_gpu_that_did_not_come_up_is_one_event_a_try(
    lines: list[str], found: list[tuple[str | None, int | None, str | None]]
) -> None:
    failures = dmesg(*lines).gpu_init_failures
    assert [(one.pci, one.minor, one.codes) for one in failures] == found


def test_a_gpu_without_its_memory_window_is_named_by_the_second_line() -> None:
    (failure,) = read("failed-probe.txt").gpu_init_failures
    assert failure.pci == "0000:ab:00.0"


def test_a_mismatch_takes_no_other_message_for_its_own() -> None:
    log = dmesg(
        "NVRM: API mismatch: the client has the version 575.57.08, but",
        "NVRM: Xid (PCI:0000:03:00): 79, GPU has fallen off the bus.",
    )
    assert len(log.xids) == 1
    assert log.driver_mismatches[0].module_version is None


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


def test_an_nvlink_error_may_be_padded_with_blanks() -> None:
    text = "NVRM: Xid (PCI:0009:01:00): 149, {}NETIR_LINK_EVT{}Fatal{}XC0 i0 Link 01 (0x1 0x2)"
    for process in ("", "pid=4711, name=python3, "):
        (padded,) = dmesg(text.format(process, "  ", "   ")).xids
        assert padded.nvlink is not None
        assert (padded.nvlink.unit, padded.nvlink.fatal) == ("NETIR_LINK_EVT", True)
        assert padded.nvlink.link == 1
        assert padded.pid == (4711 if process else None)
