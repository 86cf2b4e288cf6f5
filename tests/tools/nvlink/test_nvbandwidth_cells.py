"""Cells that nvbandwidth never measured, rows that people left out, and what a sum is of."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvbandwidth

WRITE = "device_to_device_memcpy_write_ce"
HEAD = f"Running {WRITE}.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n"
ZEROS = f"{HEAD}          0         1\n0      0.00    276.10\n1    276.20      0.00\n"
PING = "device_to_device_message_latency_pingpong_sm_8KiB"
MESSAGES = f"""\
Running {PING}.
SM ping-pong one-way latency GPU(row) -> GPU(column) (us), message size 8KiB
           0         1
 0       N/A      3.15
 1      3.25       N/A

SUM {PING} 6.40
"""
LEFT_OUT = f"""\
{HEAD}           0         1         2
 0       N/A    410.00    411.00
 ...
 2    412.00    413.00       N/A

SUM {WRITE} 2460.00
"""


def only(text: str) -> nvbandwidth.Testcase:
    [case] = nvbandwidth.parse(text).testcases
    return case


def as_json(rows: list[list[str]], total: float) -> str:
    description = "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)"
    case = {"name": WRITE, "status": "Passed", "bandwidth_description": description, "sum": total}
    return json.dumps({"nvbandwidth": {"testcases": [case | {"bandwidth_matrix": rows}]}})


def test_zeros_on_the_diagonal_were_not_measured() -> None:
    """The example in the tool's README has them, and no sum."""
    case = only(ZEROS)
    assert (case.matrix, case.complete) == (((None, 276.10), (276.20, None)), False)
    assert only(f"{ZEROS}\nSUM {WRITE} 552.30\n").passed
    assert only(as_json([["0", "10"], ["11", "0"]], 21.0)).cells == (10.0, 11.0)


def test_a_zero_elsewhere_is_implausible() -> None:
    with pytest.raises(Implausible):
        nvbandwidth.parse(ZEROS.replace("276.10", "0.00"))
    with pytest.raises(Implausible):
        nvbandwidth.parse(as_json([["0", "10"], ["0", "0"]], 10.0))


def test_latencies_of_messages_are_microseconds() -> None:
    """The unit does not end the description."""
    case = only(MESSAGES)
    assert (case.unit, case.sum_us, case.sum_ns, case.sum_gbytes) == ("us", 6.40, None, None)
    assert only(f"SUM {PING} 6.40\n").sum_us == 6.40


def test_rows_that_were_left_out_leave_a_test_incomplete() -> None:
    case = only(LEFT_OUT)
    assert (case.matrix, case.sum_gbytes) == (((None, 410.0, 411.0),), 2460.0)
    assert (case.complete, case.passed) == (False, False)


def test_a_sum_of_more_rows_than_there_are_leaves_a_test_incomplete() -> None:
    report = nvbandwidth.parse(as_json([["N/A", "10", "11"], ["12", "N/A", "13"]], 69.0))
    assert (report.testcases[0].complete, report.testcases[0].sum_gbytes) == (False, 69.0)
    with pytest.raises(Unreadable, match="cut short"):
        report.test(WRITE)
    with pytest.raises(Implausible):
        nvbandwidth.parse(as_json([["N/A", "10", "11"], ["12", "N/A", "13"]], 40.0))


def test_a_test_that_text_says_is_waived_did_not_run() -> None:
    report = nvbandwidth.parse(f"{MESSAGES}Running {WRITE}.\nWaived: \n")
    with pytest.raises(ToolFailed, match="Waived"):
        report.test(WRITE)


def test_only_the_first_line_of_a_paragraph_may_be_quoted() -> None:
    text = MESSAGES.replace("Running", "> Running")
    assert nvbandwidth.parse(text) == nvbandwidth.parse(MESSAGES)


def test_a_matrix_need_not_be_square() -> None:
    """Rows are CPUs; somebody pasted one of 1 row of 3 GPUs."""
    text = """\
Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1         2
 0    360.10    270.20    410.30

SUM host_to_device_memcpy_ce 1040.60

Waived:
Waived:
"""
    case = only(text)
    assert (case.matrix, case.passed) == (((360.10, 270.20, 410.30),), True)
    assert (case.row_kind, case.column_kind) == ("CPU", "GPU")


def test_a_sum_is_of_the_cells_before_they_were_rounded() -> None:
    text = ZEROS.replace("0.00", " N/A") + f"\nSUM {WRITE} "
    assert only(f"{text}552.31\n").passed
    with pytest.raises(Implausible):
        nvbandwidth.parse(f"{text}552.40\n")


def test_least_and_most_of_json_are_not_believed() -> None:
    """A file had a `max` below one of its cells."""
    root = json.loads(as_json([["N/A", "10"], ["11", "N/A"]], 21.0))
    plain = nvbandwidth.parse(json.dumps(root))
    [case] = root["nvbandwidth"]["testcases"]
    case |= {"min": 10.0, "max": 10.0, "average": 10.5}
    case["bandwidth_description"] = "memcpy CE GPU(row) <- GPU(column) bandwidth GB/s"
    [read] = nvbandwidth.parse(json.dumps(root)).testcases
    assert (read.matrix, read.sum_gbytes) == (((None, 10.0), (11.0, None)), 21.0)
    assert (read.unit, read.matrix) == (plain.testcases[0].unit, plain.testcases[0].matrix)
