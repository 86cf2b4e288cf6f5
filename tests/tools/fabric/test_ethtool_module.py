"""`ethtool -m` as JSON, whose keys changed from version to version, and in excerpts."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric import ethtool_module
from tests.tools.captures import capture

OSFP = capture("ethtool-m", "osfp.json")
QSFP = capture("ethtool-m", "qsfp-6.14.json")


def test_json_is_read_lane_by_lane() -> None:
    found = ethtool_module.parse(OSFP)
    assert (found.identifier_code, found.identifier) == (25, "OSFP 8X Pluggable Transceiver")
    assert (found.connector, found.module_state) == ("MPO Parallel Optic", "ModuleReady")
    assert (found.vendor_oui, found.vendor_sn) == ("00:02:c9", "ACM240100023")
    assert (found.temperature_c, found.voltage_v, found.complete) == (48.25, 3.2907, True)
    assert [lane.number for lane in found.lanes] == [1, 2, 3, 4]
    assert (found.lanes[1].bias_ma, found.lanes[1].tx_power_mw) == (60.8, 1.502)
    assert [lane.rx_power_mw for lane in found.lanes] == [1.221, 1.3034, 0, 1.2877]
    assert found.raised == ("Laser rx power low alarm (Channel 3)",)
    assert found.thresholds["Module temperature low alarm"] == "-5.0"


def test_a_measurement_and_its_limits_had_one_key_until_6_17() -> None:
    found = ethtool_module.parse(QSFP)
    assert (found.temperature_c, found.voltage_v) == (41.5, 3.2812)
    assert found.thresholds["Module temperature high alarm"] == "80.0 degrees C"
    assert found.thresholds["Laser bias current low alarm"] == "5.492 mA"
    assert found.raised == ("Module temperature high warning",)
    assert [lane.rx_power_mw for lane in found.lanes] == [0.9021, 0.8834, 0.9112, 0.8907]


def test_the_one_lane_of_an_sfp_has_no_number() -> None:
    [lane] = ethtool_module.parse(capture("ethtool-m", "sfp.json")).lanes
    assert (lane.number, lane.bias_ma, lane.tx_power_mw, lane.rx_power_mw) == (
        *(None, 6.984, 0.5678, 0.4012),
    )


def test_an_excerpt_does_not_say_what_the_module_is() -> None:
    found = ethtool_module.parse(capture("ethtool-m", "excerpt.txt"))
    assert (found.complete, found.identifier_code, found.temperature_c) == (False, None, 44.1)
    assert [lane.rx_power_dbm for lane in found.lanes] == [-0.45, None]
    with pytest.raises(Unreadable, match="twice"):
        ethtool_module.parse(capture("ethtool-m", "excerpt.txt") * 2)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("48.2500", '"warm"', "expected a number"),
        ("61.200,60.800,61.400,62.000", "61.2", "different lengths"),
        ('[ false,false,true,false ],\n        "module_temperature"', "[ 0 ]", "JSON"),
        ('"vendor_pn": "ACM-OSFP-2"', '"vendor_sn": "x"', "stands twice"),
        ("0,2,201", "0,2,256", "expected bytes"),
        ('"identifier": 25', '"identifier": "25"', "expected a code"),
    ],
)
def test_json_that_is_not_understood_is_unreadable(old: str, new: str, says: str) -> None:
    assert old in OSFP
    with pytest.raises(Unreadable, match=says):
        ethtool_module.parse(OSFP.replace(old, new))
    with pytest.raises(Unreadable, match="one object"):
        ethtool_module.parse("[ ]\n")
