"""NVIDIA's advice: the data is whole, and nothing is advised that it does not say."""

from __future__ import annotations

from collections import Counter

import pytest

from fixtures.tools.hosts import xid_catalogue
from fixtures.tools.hosts.gpu_events import NvlinkError, Xid
from fixtures.tools.hosts.kernel_log import parse
from tests.tools.hosts.logs import read

CHANGED = "154, GPU recovery action changed from"


def xid(message: str) -> Xid:
    return parse(f"[    1.000000] NVRM: Xid (PCI:0009:01:00): {message}").xids[0]


def action(message: str) -> str | None:
    found = xid_catalogue.advice(xid(message))
    return None if found is None else found.immediate


@pytest.mark.parametrize(
    ("code", "immediate", "investigate"),
    [
        (13, "RESTART_APP", "WORKFLOW_XID_13"),
        (43, "IGNORE", "CONTACT_SUPPORT"),
        (48, "WORKFLOW_XID_48", "WORKFLOW_XID_48"),
        (54, "CHECK_MECHANICALS", "CONTACT_SUPPORT"),
        (64, "RESET_GPU", "CONTACT_SUPPORT"),
        (74, "WORKFLOW_NVLINK_ERR", "CONTACT_SUPPORT"),
        (79, "RESTART_BM", "CONTACT_SUPPORT"),
        (94, "RESTART_APP", "IGNORE_SYMPATHETIC"),
        (119, "RESET_GPU", "INVESTIGATE_SW"),
        (137, "IGNORE", "XID_137_FLOW"),
        (149, "WORKFLOW_NVLINK5_ERR", "WORKFLOW_NVLINK5_ERR"),
        (159, "CHECK_UVM", "SYMPATHETIC_REPORT_SOLO"),
        (171, None, None),
    ],
)
def test_actions_by_code(code: int, immediate: str | None, investigate: str | None) -> None:
    found = xid_catalogue.by_code(code)
    assert found is not None
    assert (found.immediate, found.investigate) == (immediate, investigate)


@pytest.mark.parametrize(
    ("words", "immediate"),
    [
        ("0x1 (GPU Reset Required)", "RESET_GPU"),
        ("0x1 (PF FLR)", "RESET_GPU"),
        ("0x2 (Node Reboot Required)", "RESTART_BM"),
        ("0x2 (OS Reboot)", "RESTART_BM"),
        ("0x1 (OS Reboot)", None),
    ],
)
def test_a_recovery_is_known_in_the_words_of_every_driver(
    words: str, immediate: str | None
) -> None:
    assert action(f"{CHANGED} 0x0 (None) to {words}") == immediate


def test_every_code_of_the_catalogue_is_there_and_no_other() -> None:
    assert all(xid_catalogue.by_code(code) is not None for code in range(1, 173))
    assert [code for code in (0, 173, 175, 999) if xid_catalogue.by_code(code)] == []
    assert action("175, something new") is None


def test_every_action_has_a_meaning() -> None:
    assert xid_catalogue.meaning("RESET_GPU") == "reset the GPU"
    assert xid_catalogue.meaning("MAKE_TEA") is None


NVLINK5 = {
    144: {"IGNORE": 4, "RESET_GPU": 2},
    145: {"IGNORE": 16, "RESET_GPU": 9, "XID_154_EVAL": 8},
    146: {"IGNORE": 15, "RESET_GPU": 5},
    147: {"IGNORE": 2},
    148: {"IGNORE": 1},
    149: {"IGNORE": 7, "RESET_GPU": 24},
    150: {"RESET_GPU": 2},
}
"""Rows by action, counted in NVIDIA's table; Xid 150 has one row for two values of one unit."""


@pytest.mark.parametrize("code", NVLINK5)
def test_the_table_of_nvlink_errors_is_whole(code: int) -> None:
    counted = Counter(entry.immediate for entry in xid_catalogue.rows_of(code))
    assert counted == NVLINK5[code] or (code == 150 and counted == {"RESET_GPU": 3})


@pytest.mark.parametrize(
    ("message", "immediate"),
    [
        ("149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x021425c6 0x0)", "RESET_GPU"),
        ("149, NETIR_LINK_DOWN Fatal XC0 i0 Link 07 (0x00400391 0x0)", "RESET_GPU"),
        ("149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x0)", "IGNORE"),
        ("145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x8)", "XID_154_EVAL"),
        ("145, RLW_SRC_TRACK Fatal XC1 i0 Link 12 (0x040988e2 0x10)", "RESET_GPU"),
        ("145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x2)", "IGNORE"),
        ("145, RLW_RXPIPE Fatal XC0 i0 Link 13 (0x0409a4c2 0x2)", "RESET_GPU"),
        (f"{CHANGED} 0x0 (None) to 0x2 (Node Reboot Required)", "RESTART_BM"),
        (f"{CHANGED} 0x4 (Drain and Reset) to 0x0 (None)", "IGNORE"),
    ],
)
def test_what_a_message_says_decides(message: str, immediate: str) -> None:
    assert action(message) == immediate


@pytest.mark.parametrize(
    "message",
    [
        "149, NETIR_NEW Fatal XC0 i0 Link 01 (0x021425c6 0x0)",
        "149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x021425c7 0x0)",
        "149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x03f425c6 0x0)",
        "145, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x021425c6 0x0)",
        "145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0xc)",
        "145, RLW_SRC_TRACK Fatal XC1 i0 Link 12 (0x040988e2 0x8)",
        "145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2)",
        "145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x041988e2 0x8)",
        f"{CHANGED} 0x0 (None) to 0x9 (Something new)",
        f"{CHANGED} 0x0 (None) to 0x0 (Node Reboot Required)",
    ],
)
def test_what_the_table_does_not_have_gets_no_advice(message: str) -> None:
    """A unit, reason, status or recovery that is unknown, or words that contradict the number."""
    assert action(message) is None


def test_a_peers_fault_is_told() -> None:
    error = NvlinkError(
        unit="NETIR_LINK_EVT",
        severity="Fatal",
        cross_contained=False,
        injected=False,
        link=0,
        intr_info=0x025001C6,
        error_status=0,
        debug_data=(),
    )
    found = xid_catalogue.of_nvlink(149, error)
    assert error.sub_code == 37
    assert found is not None
    assert found.investigate == "INVESTIGATE_PEER_DEVICE"


def test_nvswitch_errors_are_classed() -> None:
    (sxid,) = read("failed-kmsg.txt").sxids
    assert xid_catalogue.of_sxid(sxid) == "always fatal"
    line = "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): {}, Non-fatal, Link 10 x"
    classes = {
        code: xid_catalogue.of_sxid(parse(f"[    1.000000] {line.format(code)}").sxids[0])
        for code in (22013, 12028, 20034, 12020, 28006)
    }
    assert classes == {
        22013: "non-fatal",
        12028: "non-fatal",
        20034: "fatal",
        12020: "always fatal",
        28006: None,
    }
