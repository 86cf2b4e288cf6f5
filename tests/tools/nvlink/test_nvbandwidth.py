"""`nvbandwidth -j` gives a checked matrix with the direction of every cell."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvbandwidth
from tests.tools.captures import capture, ended

D2D: nvbandwidth.Test = "device_to_device_memcpy_read_ce"
HEALTHY = capture("nvbandwidth", "healthy.json")


def test_device_numbers_follow_the_pci_bus() -> None:
    command = nvbandwidth.command(D2D)
    assert command.argv == ("nvbandwidth", "-j", "-t", D2D)
    assert command.env == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert (command.key, command.effect) == ("load/nvbandwidth-d2d", "load")


def test_a_matrix_is_read() -> None:
    report = nvbandwidth.read(ended(HEALTHY))
    case = report.test(D2D)
    assert [(gpu.ordinal, gpu.pci) for gpu in report.devices][:2] == [
        (0, "0008:01:00.0"),
        (1, "0018:01:00.0"),
    ]
    assert case.matrix[0] == (None, 797.88, 798.02)
    assert (case.arrow, case.row_kind, case.sum_gbytes) == ("<-", "GPU", 4787.1)


def test_flows_follow_the_arrow() -> None:
    assert (2, 1, 321.044) in list(
        nvbandwidth.parse(capture("nvbandwidth", "degraded.json")).test(D2D).flows()
    )
    h2d = nvbandwidth.parse(capture("nvbandwidth", "h2d.json")).test("host_to_device_memcpy_ce")
    assert list(h2d.flows()) == [(0, 0, 199.5), (0, 1, 201.25)]


def test_a_waived_test_is_no_result() -> None:
    report = nvbandwidth.parse(capture("nvbandwidth", "waived.json"))
    with pytest.raises(ToolFailed, match="Waived"):
        report.test(D2D)
    with pytest.raises(ToolFailed, match="did not run"):
        report.test("host_to_device_memcpy_ce")


def test_three_matrices_of_a_bidirectional_test_are_read_by_the_last() -> None:
    rows = [["N/A", "10"], ["11", "N/A"], ["N/A", "20"], ["21", "N/A"], ["N/A", "30"]]
    text = json.dumps(
        {
            "nvbandwidth": {
                "testcases": [
                    {
                        "name": "device_to_device_bidirectional_memcpy_read_ce",
                        "status": "Passed",
                        "bandwidth_description": "GPU(row) <-> GPU(column) Total bandwidth (GB/s)",
                        "bandwidth_matrix": [*rows, ["32", "N/A"]],
                        "sum": 62.0,
                    }
                ]
            }
        }
    )
    [case] = nvbandwidth.parse(text).testcases
    assert case.matrix == ((None, 30.0), (32.0, None))


@pytest.mark.parametrize("status", ["passed", "Passed", "PASSED"])
def test_a_status_passes_in_any_case(status: str) -> None:
    report = nvbandwidth.parse(HEALTHY.replace('"Passed"', f'"{status}"'))
    assert report.test(D2D).passed


def test_lines_around_the_json_are_skipped() -> None:
    around = f"$ nvbandwidth -j\nWARNING: no InfiniBand\n{HEALTHY}\nsrun: job done\n"
    assert nvbandwidth.parse(around) == nvbandwidth.parse(HEALTHY)


@pytest.mark.parametrize("rc", [0, 1])
def test_a_reported_error_is_tool_failed_with_its_words(rc: int) -> None:
    with pytest.raises(ToolFailed, match="CUDA_ERROR_SYSTEM_NOT_READY"):
        nvbandwidth.read(ended(capture("nvbandwidth", "failed.json"), rc=rc))


@pytest.mark.parametrize(
    ("old", "new"),
    [("798.02", "698.02"), ("798.02", "nan"), ("798.02", "-798.02"), ("798.02", "0")],
)
def test_what_cannot_be_true_is_implausible(old: str, new: str) -> None:
    with pytest.raises(Implausible):
        nvbandwidth.parse(HEALTHY.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY[:-20],
        HEALTHY + HEALTHY,
        HEALTHY.replace('"N/A"', '"fast"', 1),
        HEALTHY.replace("(row) <- GPU(column)", ""),
        HEALTHY.replace('"sum": 4787.1', '"sum": null'),
        HEALTHY.replace('"797.88",', "", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvbandwidth.parse(text)
