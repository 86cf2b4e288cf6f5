"""`mlxlink`: text of every section, JSON, ports that are down, and its failures."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.fabric import mlxlink
from tests.tools.captures import capture, ended

HEALTHY = capture("mlxlink", "healthy.txt")


def test_a_port_with_module_and_counters_is_read() -> None:
    port = mlxlink.read(ended(HEALTHY))
    assert (port.state, port.up, port.speed, port.lanes) == ("Active", True, "IB-NDR", 4)
    assert (port.rate_gbps, port.fec) == (400, "Standard_RS-FEC - (544,514)")
    assert port.enabled_speeds is not None
    assert port.enabled_speeds.names == ("NDR", "SDR")
    assert (port.status_opcode, port.group_opcode) == (0, None)
    assert (port.firmware_version, port.tool_version) == ("28.43.2026", "mft 4.31.0-149")
    assert port.counters is not None
    assert (port.counters.raw_errors_per_lane, port.counters.raw_ber) == ((3, 0, 11, 2), 2e-9)
    assert (port.counters.symbol_errors, port.counters.link_down) == (0, 1)


def test_no_errors_seen_is_the_number_that_is_printed() -> None:
    """15E-255 has every bit of the register set: below any limit, no unknown, and named."""
    counters = mlxlink.parse(HEALTHY).counters
    assert counters is not None
    assert (counters.effective_ber, counters.raw_ber) == (15e-255, 2e-9)
    assert counters.no_errors_seen == ("symbol_ber", "effective_ber")


def test_optics_are_read_lane_by_lane_with_their_limits() -> None:
    module = mlxlink.parse(HEALTHY).module
    assert module is not None
    assert module.rx_power_dbm
    assert module.temperature_c
    assert module.rx_power_dbm.values == (1.93, 2.01, -40.0, 2.2)
    assert (module.rx_power_dbm.low, module.rx_power_dbm.high) == (-10.41, 5.4)
    assert (module.rx_power_dbm.outside, module.temperature_c.outside) == (True, False)
    assert (module.identifier, module.distance_m, module.wavelength_nm) == ("OSFP", 0.5, 1310)
    assert module.snr_media_db is not None
    assert module.snr_media_db.values[0] == 22.1
    assert module.others["Rx LOS [per lane]"] == "0,0,1,0"
    assert "Attenuation (5g,7g,12g,25g)[dB]" not in module.others


def test_a_port_that_is_down_says_why_and_nothing_else() -> None:
    port = mlxlink.parse(capture("mlxlink", "degraded.txt"))
    assert (port.state, port.up, port.physical_state) == ("Polling", False, "Port config")
    assert (port.speed, port.lanes, port.fec, port.rate_gbps) == (None, None, None, None)
    assert (port.status_opcode, port.recommendation) == (1024, "Cable is unplugged")
    assert port.counters is not None
    assert (port.counters.raw_ber, port.counters.raw_errors_per_lane) == (None, None)


def test_json_is_read_as_the_text_is() -> None:
    port = mlxlink.parse(capture("mlxlink", "healthy.json"))
    assert (port.state, port.speed, port.lanes, port.rate_gbps) == ("Active", "IB-XDR", 4, 800)
    assert port.supported_cable_speeds is not None
    assert port.counters is not None
    assert port.supported_cable_speeds.names == ("XDR", "NDR")
    assert port.counters.raw_errors_per_lane == (12, 0, 90, 31)
    assert port.counters.raw_ber_per_lane == (1e-10, 15e-255, 9e-10, 2e-10)
    assert [part.title for part in port.others] == ["FEC Capability Info"]


def test_pcie_links_are_printed_once_each() -> None:
    others = mlxlink.parse(capture("mlxlink", "pcie.txt")).others
    assert [part.fields.get("Depth, pcie index, node") for part in others] == [
        *("0, 0, 0", "3, 0, 4", None),
    ]


def test_lines_without_title_belong_where_their_key_does() -> None:
    port = mlxlink.parse(capture("mlxlink", "excerpt.txt"))
    assert (port.state, port.speed, port.rate_gbps) == ("Active", "400G", 400)
    assert port.counters is not None
    assert port.counters.effective_ber == 2e-13


def test_pastes_with_single_blanks_and_blank_lines_are_read() -> None:
    loose = "\n\n".join(" ".join(line.split()) for line in HEALTHY.splitlines())
    assert mlxlink.parse(loose) == mlxlink.parse(HEALTHY)


def test_failures_say_what_the_tool_said() -> None:
    with pytest.raises(ToolFailed, match="Failed to open device"):
        mlxlink.read(ended(stderr=capture("mlxlink", "failed.txt"), rc=1))
    with pytest.raises(ToolFailed, match="raised the following exception"):
        mlxlink.parse(capture("mlxlink", "failed.json"))
    errors = "\nErrors\n------\nShowing BER via PPCNT raised the following exception: x\n"
    with pytest.raises(ToolFailed, match="raised the following exception"):
        mlxlink.read(ended(HEALTHY + errors, rc=1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY * 2,
        HEALTHY.replace("2E-9", "2E"),
        HEALTHY.replace(": 4x", ": four"),
        HEALTHY.replace("1.93,2.01", "1.93,bright"),
        "Some Key : value\n",
        '{"result": {"output": "N/A"}, "status": {"code": 0}}',
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        mlxlink.parse(text)


def test_an_error_rate_above_one_cannot_be_true() -> None:
    with pytest.raises(Implausible, match="above 1"):
        mlxlink.parse(HEALTHY.replace("2E-9", "15E-0"))


def test_a_number_torn_at_the_end_is_no_number() -> None:
    text = HEALTHY.rstrip("\n").rsplit("Link Error", 1)[0].rstrip("\n")
    counters = mlxlink.parse(text).counters
    assert counters is not None
    assert counters.link_down is None


def test_lists_of_json_may_be_bare() -> None:
    text = '{"result": {"output": {"Physical Counters and BER Info": {"Raw Physical BER": "1e-8", '
    text += '"Raw Physical Errors Per Lane": ["4", "0", "7", "1"]}}}}'
    counters = mlxlink.parse(text).counters
    assert counters is not None
    assert (counters.raw_errors_per_lane, counters.raw_ber) == ((4, 0, 7, 1), 1e-8)


def test_a_value_may_hold_colons_commas_and_brackets() -> None:
    value = "400GBASE-CR4, 25GBASE-CR: CA-L (Clause91), RS(544,514) [x]"
    module = mlxlink.parse(HEALTHY.replace("400GBASE-DR4 (Clause 124)", value)).module
    assert module is not None
    assert module.compliance == value
