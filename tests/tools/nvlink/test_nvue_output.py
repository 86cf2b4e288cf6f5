"""Traps of NVUE's tables: lists as keys, narrow terminals, rows left out, blanks that were cut."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.nvlink import nvos_interface, nvos_platform
from tests.tools.captures import capture

ETH = capture("nvos-interface", "eth.txt")
NARROW = capture("nvos-interface", "narrow.txt")


def only(text: str) -> nvos_interface.Interface:
    [port] = nvos_interface.parse(text)
    return port


def test_a_key_in_brackets_stands_once_for_each_item() -> None:
    port = only(ETH)
    assert port.other["ip.address"] == "192.0.2.14/24, 2001:db8::14/64"
    with pytest.raises(Unreadable, match="twice"):
        nvos_interface.parse(ETH.replace("[address]", "address  "))


def test_only_numbers_of_the_link_are_counters() -> None:
    port = only(ETH)
    assert port.counters == {"in-pkts": 51208, "carrier-ups": 3}
    assert (port.other["ip.arp-timeout"], port.other["link.mtu"]) == ("1800", "1500")


def test_columns_may_end_in_an_ellipsis() -> None:
    acp, eth = nvos_interface.parse(NARROW)
    assert (acp.name, acp.speed_gbps, eth.other["remote-host"]) == (
        "acp3",
        400.0,
        "mgmt-leaf-a-ro…",
    )
    assert eth.other["summary"].splitlines() == ["IP Address:", "192.0.2.14/2…"]


def test_a_value_that_the_terminal_cut_is_unknown() -> None:
    eth = nvos_interface.parse(NARROW.replace("1500   eth ", "1500   et… "))[1]
    assert (eth.type, eth.other["type"]) == (None, "et…")
    text = "Name  Actual FW\n----  ----------…\nBIOS  0ACTV_00.0…\n"
    assert nvos_platform.parse_firmware(text)[0].actual is None


@pytest.mark.parametrize("line", ["...", "…", "sw1p1…      up     400G          nvl"])
def test_a_list_with_rows_left_out_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable, match="left out"):
        nvos_interface.parse(f"{NARROW}{line}\n")


@pytest.mark.parametrize("name", ["one.txt", "eth.txt", "phy-detail.txt"])
def test_the_blanks_that_a_header_begins_with_may_be_cut(name: str) -> None:
    text = capture("nvos-interface", name)
    _, header, rest = text.split("\n", 2)
    assert header != header.lstrip()
    assert nvos_interface.parse(f"{header.lstrip()}\n{rest}")[0].other == only(text).other


def test_a_prompt_may_hold_a_blank() -> None:
    asked = "nv show platform firmware BIOS\n"
    table = "                 operational\n---------------  -----------\nactual-firmware  0A_01\n"
    [bios] = nvos_platform.parse_firmware(f"admin@nvos: ~$ {asked}{table}")
    assert (bios.component, bios.actual) == ("BIOS", "0A_01")
