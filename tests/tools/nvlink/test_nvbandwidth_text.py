"""`nvbandwidth` without `-j` gives the same report."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, Unreadable
from fixtures.tools.nvlink import nvbandwidth_text
from tests.tools.captures import capture

TEXT = capture("nvbandwidth", "healthy.txt")


def test_a_text_report_is_read() -> None:
    report = nvbandwidth_text.parse(TEXT)
    case = report.test("device_to_device_memcpy_read_ce")
    assert (report.driver_version, report.devices[1].pci) == ("580.95.05", "0018:01:00.0")
    assert case.matrix == ((None, 797.88), (798.10, None))
    assert list(case.flows()) == [(1, 0, 797.88), (0, 1, 798.10)]
    assert report.test("host_device_latency_sm").unit == "ns"


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT * 2,
        TEXT.split("SUM")[0],
        TEXT.replace("           0         1\n", "", 1),
        TEXT.replace(" 0       N/A    797.88", " 0    797.88"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvbandwidth_text.parse(text)


def test_a_wrong_sum_is_implausible() -> None:
    with pytest.raises(Implausible):
        nvbandwidth_text.parse(TEXT.replace("1595.98", "1695.98"))
