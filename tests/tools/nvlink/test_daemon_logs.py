"""The logs of nvidia-imex and nv-fabricmanager: records, peers, NVSwitch errors."""

from __future__ import annotations

from datetime import datetime

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.nvlink import fabric_manager_log, imex_log
from tests.tools.captures import capture

FABRIC = capture("fabric-manager-log", "healthy.txt")
IMEX = capture("imex-log", "healthy.txt")


def test_a_record_goes_on_over_lines() -> None:
    log = fabric_manager_log.parse(FABRIC)
    assert [record.level for record in log.records] == ["INFO"] * 3
    assert log.records[1].message.endswith("Team Handle:1f Flags:0")
    assert log.records[1].time == datetime(2026, 11, 30, 5, 0, 9)
    assert (log.version, log.troubles, log.switch_errors) == ("570.10.01", (), ())


def test_switch_errors_name_switch_and_port() -> None:
    [error] = fabric_manager_log.parse(capture("fabric-manager-log", "degraded.txt")).switch_errors
    assert (error.fatal, error.sxid, error.pci, error.port) == (False, 12028, "0000:c5:00.0", 17)
    fatal = fabric_manager_log.parse(capture("fabric-manager-log", "failed.txt")).switch_errors
    assert [(item.fatal, item.sxid, item.port) for item in fatal] == [
        (True, 20034, 33),
        (True, 10003, None),
    ]


def test_a_number_that_runs_into_something_else_is_unknown() -> None:
    text = capture("fabric-manager-log", "degraded.txt").replace("port 17", "port 17x")
    assert fabric_manager_log.parse(text).switch_errors[0].port is None


def test_an_address_that_is_torn_names_no_switch() -> None:
    log = fabric_manager_log.parse(
        capture("fabric-manager-log", "degraded.txt").replace(":c5:", ":")
    )
    assert (log.switch_errors, [item.level for item in log.troubles]) == ((), ["ERROR", "WARNING"])


def test_imex_counts_connections_to_each_peer() -> None:
    log = imex_log.parse(IMEX)
    assert (log.version, log.peers) == ("580.95.05", 2)
    assert [(item.node, item.address, item.times_connected) for item in log.connected] == [
        (0, "10.3.0.1", 1),
        (1, "10.3.0.2", 3),
    ]


def test_imex_names_lost_peers() -> None:
    log = imex_log.parse(capture("imex-log", "degraded.txt"))
    assert [(item.node, item.address) for item in log.lost] == [(4, "10.3.0.5")]
    assert [record.level for record in log.troubles] == ["ERROR", "WARNING"]


@pytest.mark.parametrize(
    "prefix",
    [
        "Nov 30 06:40:33 r03-ct01 nvidia-imex[39]: ",
        "2026-11-30T06:40:33.561Z ",
        "[pod/imex-7qk2p/imex-daemon] ",
    ],
)
def test_what_a_journal_puts_before_a_record_is_skipped(prefix: str) -> None:
    prefixed = "".join(f"{prefix}{line}\n" for line in IMEX.splitlines())
    assert imex_log.parse(prefixed) == imex_log.parse(IMEX)


def test_a_line_that_begins_like_a_record_goes_on_with_none() -> None:
    """The seconds have three digits, as in a page whose author changed the times by hand."""
    torn = "[Nov 30 2026 06:40:330] [ERROR] [tid 39] a fault"
    log = imex_log.parse(f"{IMEX}{torn}\n[Nov 30 2026 06:4\n")
    assert log.torn == (torn, "[Nov 30 2026 06:4")
    assert log.records == imex_log.parse(IMEX).records
    assert fabric_manager_log.parse(f"{FABRIC}{torn}\n").torn == (torn,)


def test_what_authors_write_for_left_out_lines_is_in_no_message() -> None:
    assert imex_log.parse(f"{IMEX}...\n").records == imex_log.parse(IMEX).records


@pytest.mark.parametrize(
    "text", ["", "IMEX Log initializing at: 1/2/2026\n", "[Foo 30 2026 05:00:09] [INFO] [tid 1] x"]
)
def test_a_log_without_records_is_unreadable(text: str) -> None:
    for parse in (imex_log.parse, fabric_manager_log.parse):
        with pytest.raises(Unreadable):
            parse(text)
