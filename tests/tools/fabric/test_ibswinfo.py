"""`ibswinfo`: a value that is no number spoils its field only."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.ibswinfo import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

HEALTHY = capture("ibswinfo", "healthy.txt")


def test_a_page_is_read_whole() -> None:
    switch = parse(HEALTHY)
    assert (switch.description, switch.part_number) == ("Quantum leaf 04", "MQM8790-HS2F")
    assert (switch.ports, switch.modules, switch.guid) == (40, 40, "b8cef60300aa0004")
    assert [supply.power_w for supply in switch.power_supplies] == [112, 108]
    assert (switch.temperature_c, switch.max_temperature_c) == (48, 62)
    assert (switch.warning_low_c, switch.warning_high_c) == (95, 105)
    assert switch.module_temperature_c == {1: 41, 2: 0}
    assert switch.fan_rpm == {1: 5426, 2: 4746}
    assert (switch.uptime, switch.fan_status, switch.unreadable) == ("12d-04:30:15", "OK", ())


def test_the_fan_status_of_a_supply_is_not_the_switchs() -> None:
    switch = parse(HEALTHY.replace("     fan status    | OK", "     fan status    | ERROR"))
    assert switch.fan_status == "OK"
    assert [supply.fan_status for supply in switch.power_supplies] == ["ERROR", "ERROR"]


def test_fan_status_says_error_while_fans_turn() -> None:
    switch = parse(HEALTHY.replace("\nfan status         | OK", "\nfan status         | ERROR"))
    assert switch.fan_status == "ERROR"
    assert switch.stopped_fans == ()


def test_what_is_no_number_is_unknown_and_named() -> None:
    switch = parse(capture("ibswinfo", "degraded.txt"))
    assert switch.max_temperature_c is None
    assert switch.unreadable == ("max temp (C) ?",)
    assert switch.power_supplies[1].power_w is None
    assert switch.power_supplies[1].status == "ERROR"
    assert switch.stopped_fans == (2,)


def test_the_short_outputs_have_other_names() -> None:
    switch = parse(capture("ibswinfo", "vitals.txt"))
    assert (switch.temperature_c, switch.max_temperature_c) == (73, 80)
    assert [supply.power_w for supply in switch.power_supplies] == [92, 102]
    assert switch.fan_rpm == {1: 6112, 2: 5301}
    assert switch.module_temperature_c == {1: 44}
    status = parse("psu0.status        : OK\npsu0.dc            : ERROR\nfans               : OK\n")
    assert status.power_supplies[0].dc_power == "ERROR"
    assert status.fan_status == "OK"


def test_missing_lines_are_unknown() -> None:
    text = "".join(
        line
        for line in HEALTHY.splitlines(keepends=True)
        if not line.startswith(("temperature", "PSID", "warn", "QSFP"))
    )
    switch = parse(text)
    assert (switch.temperature_c, switch.psid, switch.warning_low_c) == (None, None, None)
    assert switch.module_temperature_c == {}


def test_two_switches_in_one_output_are_refused() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        parse(HEALTHY * 2)


def test_a_line_of_the_page_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(Unreadable, match=r"expected 'name \| value'"):
        parse(HEALTHY.replace("revision           | AC", "!revision          | AC"))


def test_an_error_of_the_script_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="must run as root"):
        READERS["ibswinfo"](ended(stderr=capture("ibswinfo", "failed.txt"), rc=1))
    with pytest.raises(Unreadable, match="found none"):
        parse(capture("ibswinfo", "empty.txt"))


def test_a_page_and_short_outputs_have_their_ends() -> None:
    assert parse(HEALTHY).complete
    assert parse(capture("ibswinfo", "vitals.txt") + "\n").complete
    for cut in ("PSU1 status", "temperature (C)", "fan#1", "fan#2"):
        assert not parse(HEALTHY[: HEALTHY.index(cut)]).complete


def test_half_a_number_at_the_end_is_left_out() -> None:
    switch = parse(HEALTHY[: HEALTHY.index("46\n---")])
    assert switch.fan_rpm == {1: 5426}
    assert not switch.complete


def test_what_is_no_number_is_named_as_it_stands_there() -> None:
    switch = parse("psu0.power (W)     : ?\ncur.temp (C)       : w73\nQSFP#01.temp (C)   : x\n")
    assert switch.unreadable == ("psu0.power (W) ?", "cur.temp (C) w73", "QSFP#01.temp (C) x")


def test_setting_a_description_is_no_report() -> None:
    with pytest.raises(Unreadable, match="sets a description"):
        parse("Device: lid-44\n  Current node description: a\n  Set node description to : b\n")
