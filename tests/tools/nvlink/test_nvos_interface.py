"""`nv show interface` on a switch tray: states, counters and BER, in tables and JSON."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvos_interface
from tests.tools.captures import capture, ended

ONE = capture("nvos-interface", "one.txt")
DETAIL = capture("nvos-interface", "phy-detail.txt")
LIST = capture("nvos-interface", "list.txt")
ALL = capture("nvos-interface", "all.json")


def only(text: str) -> nvos_interface.Interface:
    [port] = nvos_interface.parse(text)
    return port


def test_json_is_asked_for() -> None:
    assert nvos_interface.command("acp7").argv == ("nv", "show", "interface", "acp7", "-o", "json")


def test_a_port_is_read_by_its_nested_keys() -> None:
    port = only(ONE)
    assert (port.name, port.type, port.state, port.up) == ("acp7", "nvl", "up", True)
    assert (port.speed_gbps, port.lanes) == (400.0, "2X")
    assert port.counters == {
        "in-pkts": 412,
        "in-errors": 0,
        "link-error-recovery": 0,
        "link-downed": 2,
    }
    assert port.other["link.counters.in-bytes"] == "96.50 KB"


def test_polling_and_active_at_once_is_not_up() -> None:
    port = only(capture("nvos-interface", "polling.txt"))
    assert (port.physical_state, port.logical_state, port.state) == ("Polling", "Active", "up")
    assert port.up is False


def test_what_is_applied_is_not_what_is() -> None:
    """A cell that is blank under "operational" is unknown, whatever stands under "applied"."""
    header, dashes, *_ = ONE.splitlines()[1:]
    at = header.index("applied")
    text = "\n".join([header, dashes, "type  ".ljust(at) + "nvl", "link", "  state  ".ljust(at)])
    with pytest.raises(Unreadable):
        nvos_interface.parse(text)
    with pytest.raises(Unreadable, match="operational"):
        nvos_interface.parse("      applied\n----  -------\ntype  nvl\n")


def test_bit_error_rates_are_ratios() -> None:
    port = only(DETAIL)
    assert (port.raw_ber, port.effective_ber, port.symbol_ber) == (1e-7, 15e-255, 15e-255)
    assert port.raw_ber_lanes == {0: 3e-6, 1: 9e-7}
    assert port.no_errors_seen == ("symbol_ber", "effective_ber")
    assert port.counters["unintentional-link-down-events"] == 1
    assert port.counters["successful-recovery-events"] == 4


def test_a_bit_error_rate_that_is_not_available_is_unknown() -> None:
    port = only(capture("nvos-interface", "unknown.txt"))
    assert (port.raw_ber, port.symbol_ber, port.raw_ber_lanes) == (None, None, {})


@pytest.mark.parametrize("rate", ["nan", "-1E-7", "2E+1"])
def test_an_impossible_bit_error_rate_is_implausible(rate: str) -> None:
    with pytest.raises(Implausible):
        nvos_interface.parse(DETAIL.replace("1E-7", rate))


def test_bit_error_rates_of_all_ports_are_listed() -> None:
    good, bad, absent = nvos_interface.parse(capture("nvos-interface", "ber.txt"))
    assert (good.raw_ber, good.effective_ber, good.symbol_ber) == (2e-9, 15e-255, 15e-255)
    assert (bad.raw_ber, bad.effective_ber, bad.symbol_ber) == (7e-6, 4e-12, 1e-13)
    assert (bad.counters["sym-errs"], bad.counters["eff-errs"]) == (21, 96)
    assert (absent.raw_ber, absent.effective_ber, absent.symbol_ber) == (None, None, None)


def test_lanes_follow_a_port_in_a_table_of_their_own() -> None:
    port = only(capture("nvos-interface", "health.txt"))
    assert (port.name, port.raw_ber, port.raw_ber_lanes) == ("acp4", 5e-8, {0: 4e-8, 1: 9e-9})
    assert port.counters["phy-raw-errors-lane-0"] == 40117
    assert port.other["snr-media-lane-1"] == "22.50 dB"


def test_all_ports_are_listed_by_column_name() -> None:
    ports = nvos_interface.parse(LIST)
    assert [port.name for port in ports] == ["acp1", "acp2", "eth0", "fnm1", "sw1p1s1"]
    assert [port.up for port in ports] == [True, False, None, True, False]
    assert [port.speed_gbps for port in ports] == [400.0, None, 1.0, 200.0, None]
    assert ports[2].other["summary"].splitlines()[1] == "IPv6 Address: fe80::9/64"


def test_json_gives_the_same() -> None:
    up, down = nvos_interface.parse(ALL)
    assert (up.name, up.state, up.up, up.speed_gbps) == ("acp1", "up", True, 400.0)
    assert (up.counters, up.raw_ber_lanes) == ({"in-pkts": 412, "link-downed": 0}, {0: 2e-9})
    assert (up.effective_ber, up.symbol_ber) == (15e-255, None)
    assert (down.state, down.up, down.diagnostics[0].code) == ("down", False, 2)


@pytest.mark.parametrize(
    "text", [capture("nvos-interface", "state.txt"), '{"up": {}}', '{"state": {"up": {}}}']
)
def test_a_state_alone_is_read(text: str) -> None:
    assert (only(text).state, only(text).up) == ("up", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        LIST + LIST,
        ONE + ONE,
        LIST.replace("fnm1   ", "acp1   "),
        LIST.replace("Interface", "Port     "),
        LIST.replace("    ", " "),
        ONE.replace("  state ", "  lanes ", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvos_interface.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        capture("nvos-interface", "failed.txt"),
        '{"status": 404, "title": "Not Found", "detail": "no such interface"}',
    ],
)
def test_a_failure_is_tool_failed(text: str) -> None:
    with pytest.raises(ToolFailed):
        nvos_interface.read(ended(text))
