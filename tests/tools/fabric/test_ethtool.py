"""`ethtool`, its statistics (`-S`) and its modules (`-m`)."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.fabric import ethtool, ethtool_module, ethtool_statistics
from tests.tools.captures import capture, ended

STATISTICS = capture("ethtool-s", "healthy.txt")
MODULE = capture("ethtool-m", "healthy.txt")


def test_speed_and_link_are_read() -> None:
    [up] = ethtool.read(ended(capture("ethtool", "healthy.txt")))
    assert (up.name, up.speed_mbps, up.lanes) == ("ens3f0np0", 400000, 4)
    assert (up.link_detected, up.auto_negotiation) == (True, True)


def test_a_link_that_is_down_has_no_speed_and_maybe_a_reason() -> None:
    [down] = ethtool.parse(capture("ethtool", "degraded.txt"))
    assert (down.speed_mbps, down.duplex) == (None, None)
    assert (down.link_detected, down.link_reason) == (False, "No cable")


def test_ethtool_that_fails_says_why() -> None:
    with pytest.raises(ToolFailed, match="No such device"):
        ethtool.read(ended(capture("ethtool", "failed.txt"), rc=75))
    for text in ("", capture("ethtool", "failed.txt"), capture("ethtool", "healthy.txt") * 2):
        with pytest.raises(Unreadable):
            ethtool.parse(text)


def test_statistics_are_read_whatever_their_names() -> None:
    found = ethtool_statistics.read(ended(STATISTICS))
    assert (found.titled, found.value("rx_packets")) == (True, 120331)
    assert found.value("[0]: rx_ucast_packets") == 12
    with pytest.raises(Unreadable, match="no such counter"):
        found.value("rx_bytes")


def test_excerpts_are_read_without_a_title() -> None:
    found = ethtool_statistics.parse(capture("ethtool-s", "degraded.txt"))
    assert (found.titled, found.value("rx_discards_phy")) == (False, 58125)


def test_names_that_the_kernel_cut_alike_have_no_value() -> None:
    found = ethtool_statistics.parse(capture("ethtool-s", "degraded.txt"))
    assert found.ambiguous == ("tx_queue_stopped_for_a_long_long",)
    with pytest.raises(Unreadable, match="more than once"):
        found.value(found.ambiguous[0])


def test_the_largest_counter_is_kept_and_no_value() -> None:
    found = ethtool_statistics.parse(capture("ethtool-s", "degraded.txt"))
    assert found.saturated == ("rx_out_of_buffer",)
    with pytest.raises(Implausible):
        found.value("rx_out_of_buffer")


def test_standard_groups_name_their_interface() -> None:
    text = "Standard stats for ens3f0np0:\neth-phy-SymbolErrorDuringCarrier: 3\n"
    found = ethtool_statistics.parse(text)
    assert (found.interface, found.counters) == (
        *("ens3f0np0", {"eth-phy-SymbolErrorDuringCarrier": 3}),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        STATISTICS * 2,
        "     a: 1\n     b: 2\n" * 2,
        "     rx_packets: -1\n",
        f"     rx_packets: {2**64}\n",
        "NIC statistics:\n",
        "NIC statistics:\n     rx_packets\n",
    ],
)
def test_statistics_that_are_not_understood_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ethtool_statistics.parse(text)


def test_a_module_is_read_lane_by_lane() -> None:
    found = ethtool_module.read(ended(MODULE))
    assert (found.identifier_code, found.identifier) == (0x11, "QSFP28")
    assert (found.vendor_name, found.vendor_sn) == ("Acme", "ACM240100017")
    assert (found.temperature_c, found.voltage_v) == (36.5, 3.2652)
    assert [lane.number for lane in found.lanes] == [1, 2, 3, 4]
    assert (found.lanes[0].tx_power_mw, found.lanes[0].tx_power_dbm) == (0.8111, -0.75)
    assert (found.lanes[3].bias_ma, found.raised) == (6.9, ())
    assert found.flags["Module temperature high alarm"] is False
    assert found.thresholds["Module temperature high alarm"].startswith("75.00 degrees C")


def test_a_lane_without_light_has_no_decibels() -> None:
    found = ethtool_module.parse(capture("ethtool-m", "degraded.txt"))
    assert (found.lanes[2].rx_power_mw, found.lanes[2].rx_power_dbm) == (0.0, None)
    assert found.raised == ("Laser rx power low alarm (Channel 3)",)


def test_a_copper_cable_measures_nothing() -> None:
    """It prints 0.00 degrees C and 0.0000 V."""
    found = ethtool_module.parse(capture("ethtool-m", "copper.txt"))
    assert (found.temperature_c, found.voltage_v, found.lanes) == (None, None, ())
    assert found.transmitter_technology == "Copper cable unequalized"


def test_cmis_and_sfp_modules_are_read() -> None:
    osfp = ethtool_module.parse(capture("ethtool-m", "cmis.txt"))
    assert (osfp.identifier_code, osfp.module_state, len(osfp.lanes)) == (0x19, "ModuleReady", 8)
    assert (osfp.lanes[7].rx_power_dbm, osfp.lanes[7].tx_power_dbm) == (1.76, None)
    sfp = ethtool_module.parse(capture("ethtool-m", "sfp.txt"))
    assert [(lane.number, lane.rx_power_dbm) for lane in sfp.lanes] == [(None, -3.98)]
    assert sfp.temperature_c == -2.11


def test_a_module_that_cannot_be_read_is_a_failure() -> None:
    with pytest.raises(ToolFailed, match="Input/output error"):
        ethtool_module.read(ended(stderr=capture("ethtool-m", "failed.txt"), rc=1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        MODULE * 2,
        MODULE.replace("0x11 (QSFP28)", "QSFP28"),
        MODULE.replace("36.50 degrees C", "36.50 K"),
        MODULE.replace("mW / -0.75 dBm", "mW"),
        "Offset\t\tValues\n------\t\t------\n0x0000:\t\t11 07 06 00\n",
    ],
)
def test_modules_that_are_not_understood_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ethtool_module.parse(text)


def test_lines_of_a_report_have_no_interface() -> None:
    [found] = ethtool.parse(capture("ethtool", "excerpt.txt"))
    assert (found.name, found.speed_mbps, found.lanes) == (None, 400000, 4)
    with pytest.raises(Unreadable, match="Speed occurs twice"):
        ethtool.parse(capture("ethtool", "excerpt.txt") * 2)


def test_json_of_statistics_is_named_as_the_text_is() -> None:
    found = ethtool_statistics.parse(capture("ethtool-s", "groups.json"))
    text = ethtool_statistics.parse(capture("ethtool-s", "groups.txt"))
    for name in ("eth-phy-SymbolErrorDuringCarrier", "eth-mac-FramesTransmittedOK"):
        assert found.value(name) == text.value(name)
    assert (found.interface, found.titled) == ("ens3f0np0", True)
    assert found.value("rmon-rx-pktsNtoM-65-127") == 4077
    with pytest.raises(Unreadable, match="one interface"):
        ethtool_statistics.parse("[]")
