"""`nvidia-smi --query-…` keeps names, units, and what nobody knows."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import smi_query
from fixtures.tools.gpus.smi_cells import Quantity
from fixtures.tools.gpus.smi_query import Row
from tests.tools.captures import capture, ended

HEALTHY = capture("nvidia-smi-query", "healthy.csv")
DEGRADED = capture("nvidia-smi-query", "degraded.csv")


def one(header: str, cells: str) -> object:
    [row] = smi_query.parse(f"index, {header}\n0, {cells}\n").rows
    assert not isinstance(row.values, tuple)
    return row.values[header.partition(" [")[0]]


def test_cells_have_the_types_of_their_fields() -> None:
    table = smi_query.read(ended(HEALTHY))
    assert table.units == {"power.draw": "W", "memory.total": "MiB", "fan.speed": "%"}
    assert table.rows[0] == Row(
        values={
            "index": 0,
            "name": "NVIDIA B300",
            "pci.bus_id": "0000:1b:00.0",
            "serial": "0065123400700",
            "temperature.gpu": 58,
            "power.draw": 612.75,
            "memory.total": 275040,
            "fan.speed": None,
            "ecc.errors.uncorrected.volatile.total": 0,
        }
    )
    assert table.column("power.draw") == [612.75, 598.2]


@pytest.mark.parametrize(
    ("header", "cell", "value"),
    [
        ("inforom.ecc", "7.10", "7.10"),
        ("driver_version", "610.62", "610.62"),
        ("compute_cap", "9.0", "9.0"),
        ("fabric.status", "Insufficient Resources", "Insufficient Resources"),
        ("fabric.status", "[N/A]", None),
        ("fabric.health.bandwidth", "N/A", None),
        ("pci.device_id", "0x233010DE", "0x233010DE"),
        ("clocks_event_reasons.active", "0x0000000000000001", "0x0000000000000001"),
        ("ecc.errors.corrected.volatile.device_memory", "7", 7),
        ("power.draw [W]", "[Unknown Error]", None),
        ("power.draw [W]", "[An error of the next driver]", None),
        ("display_mode", "[Requested functionality has been deprecated]", None),
        ("ecc.mode.current", "[Not Supported]", None),
        ("utilization.gpu [%]", "37 %", 37),
        ("utilization.gpu [%]", "37", 37),
        ("clocks.sm [MHz]", "1980 MHz", 1980),
        ("temperature.gpu.tlimit", "-3", -3),
        ("platform.chassis_serial_number", "", None),
        ("gpu_recovery_action", "None", "None"),
    ],
)
def test_a_cell_is_what_its_field_says(header: str, cell: str, value: object) -> None:
    assert one(header, cell) == value


def test_lost_and_unreachable_gpus_are_told() -> None:
    table = smi_query.read(ended(DEGRADED, rc=15))
    assert [row.lost for row in table.rows] == [False, True]
    assert table.column("temperature.gpu") == [58, None]
    assert table.unreachable == ("0000:43:00.0",)


def test_what_the_driver_could_not_read_is_told_from_what_there_is_not() -> None:
    [row] = smi_query.parse(
        "index, fan.speed [%], ecc.mode.current\n0, [N/A], [Unknown Error]\n"
    ).rows
    assert row.failed == ("ecc.mode.current",)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (HEALTHY.replace("1, NVIDIA", "...\n1, NVIDIA"), 2),
        (HEALTHY[:-30], 1),
        ("index, clocks.sm [MHz]\n0, 210 MHz\n1, 1980 MHz\n2, 19", 2),
        ("0, NVIDIA B300, 5 %\n1, NVIDIA B300, 6 %\n2, NVIDIA B3", 2),
    ],
)
def test_rows_left_out_and_a_last_row_that_is_cut_make_it_incomplete(text: str, rows: int) -> None:
    found = smi_query.parse(text)
    assert (len(found.rows), found.complete) == (rows, False)


def test_a_loop_that_was_interrupted_is_read() -> None:
    assert smi_query.parse(HEALTHY + "^C\n") == smi_query.parse(HEALTHY)


def test_the_drivers_version_alone_is_read() -> None:
    assert smi_query.parse("535.183.01\n").rows[0].values == ("535.183.01",)


def test_without_a_header_cells_keep_their_unit() -> None:
    table = smi_query.parse(capture("nvidia-smi-query", "noheader.csv"))
    assert table.fields is None
    assert table.rows[1].values == (
        *(1, "NVIDIA B300", 57),
        *(Quantity(value=598.2, unit="W"), "Enabled", None),
    )


def test_a_comma_in_a_process_name_is_no_separator() -> None:
    table = smi_query.parse(capture("nvidia-smi-query", "processes.csv"))
    assert table.column("process_name") == [
        "/opt/train/run, --mode, fast",
        "nvidia-cuda-mps-server",
    ]
    assert table.column("used_gpu_memory") == [1500, None]


def test_no_process_is_no_row() -> None:
    assert smi_query.parse("pid, process_name, used_gpu_memory [MiB]\n").rows == ()


def test_a_loop_prints_rows_again_and_again() -> None:
    body = HEALTHY.split("\n", 1)[1]
    assert len(smi_query.parse(HEALTHY + body).rows) == 4


def test_no_device_is_no_row() -> None:
    assert smi_query.read(ended("No devices were found\n", rc=6)).rows == ()


def test_a_field_that_was_not_asked_for_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="no field 'uuid'"):
        smi_query.parse(HEALTHY).column("uuid")


def test_a_field_that_the_tool_does_not_know_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match=r"fabric\.mood"):
        smi_query.read(ended(capture("nvidia-smi-query", "failed.txt")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected comma separated"),
        ("Hello, world\n", "expected comma separated"),
        ("name,age\nBob,old\n", "expected comma separated"),
        (HEALTHY.split("\n", maxsplit=1)[0], "no line below it"),
        (HEALTHY + HEALTHY, "2 reports"),
        (HEALTHY.replace(", 0\n", "\n", 1), "expected 9 cells"),
        (HEALTHY.replace("612.75 W", "612.75 mW"), r"expected|a number"),
        (HEALTHY.replace("612.75 W", "much"), "a number of W expected"),
        ("index, index\n0, 1\n", "twice"),
        ("0, NVIDIA B300\n1\n", "no header"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        smi_query.parse(text)


def test_an_error_status_without_a_lost_gpu_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="exit status 15"):
        smi_query.read(ended(HEALTHY, rc=15))
