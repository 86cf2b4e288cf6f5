"""`nvbandwidth` without `-j` gives the same report."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, RackError, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvbandwidth
from tests.tools.captures import capture, ended

TEXT = capture("nvbandwidth", "healthy.txt")
D2D = "device_to_device_memcpy_read_ce"
SEVERAL_NODES = capture("nvbandwidth", "multinode.txt")
BOTH_WAYS = """\
Running device_to_device_bidirectional_memcpy_read_ce.
memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth (GB/s)
           0         1
 0       N/A    100.00
 1    101.00       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_read1 201.00

memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)
           0         1
 0       N/A    200.00
 1    202.00       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_total 402.00
COEFFICIENT_OF_VARIATION device_to_device_bidirectional_memcpy_read_ce_total 0.00
"""


def test_a_text_report_is_read() -> None:
    report = nvbandwidth.parse(TEXT)
    case = report.test(D2D)
    assert (report.version, report.driver_version) == ("v0.8", "580.95.05")
    assert report.devices[1].pci == "0018:01:00.0"
    assert case.matrix == ((None, 797.88), (798.10, None))
    assert list(case.flows()) == [(1, 0, 797.88), (0, 1, 798.10)]
    assert (report.waived, report.complete) == (("",), True)


def test_latencies_are_nanoseconds() -> None:
    case = nvbandwidth.parse(TEXT).test("host_device_latency_sm")
    assert (case.unit, case.sum_ns, case.sum_gbytes) == ("ns", 1547.59, None)


def test_a_bidirectional_test_has_several_matrices() -> None:
    report = nvbandwidth.parse(BOTH_WAYS)
    assert [case.sum_gbytes for case in report.testcases] == [201.0, 402.0]
    total = report.test("device_to_device_bidirectional_memcpy_read_ce")
    assert total.cells == (200.0, 202.0)


def test_a_local_copy_has_no_row_and_no_direction() -> None:
    text = (
        "Running device_local_copy.\nmemcpy local GPU(column) bandwidth (GB/s)\n"
        "           0         1\n 0   1500.00   1501.00\n\nSUM device_local_copy 3001.00\n"
    )
    case = nvbandwidth.parse(text).test("device_local_copy")
    assert (case.cells, case.arrow, case.column_kind) == ((1500.0, 1501.0), None, None)


def test_processes_of_several_nodes_are_devices() -> None:
    report = nvbandwidth.parse(SEVERAL_NODES)
    assert [(item.process, item.host, item.ordinal) for item in report.devices] == [
        (0, "ct01", 0),
        (1, "ct01", 1),
        (2, "ct02", 0),
        (3, "ct02", 1),
    ]
    assert len(report.testcases[0].cells) == 12


@pytest.mark.parametrize(("old", "new"), [("\n 0 ", "\n0 "), ("    ", " "), ("\n", "\r\n")])
def test_white_space_may_be_lost_and_added(old: str, new: str) -> None:
    assert nvbandwidth.parse(SEVERAL_NODES.replace(old, new)) == nvbandwidth.parse(SEVERAL_NODES)


def test_launcher_prefixes_are_taken_off() -> None:
    tagged = "".join(f"[1,0]<stdout>:{line}\n" for line in SEVERAL_NODES.splitlines())
    assert nvbandwidth.parse(tagged + "[1,1]<stderr>:warning\n").complete
    with pytest.raises(Unreadable, match="2 reports in one output"):
        nvbandwidth.parse(tagged + tagged.replace("[1,0]", "[1,1]"))


def test_a_cut_matrix_keeps_its_whole_rows() -> None:
    cut = TEXT.split(" 1    798.10")[0]
    for text in (cut, cut + " 1    79", cut + " 1    798.10", cut + " 1    798.10       N/"):
        report = nvbandwidth.parse(text)
        assert (report.complete, report.testcases[0].matrix) == (False, ((None, 797.88),))
        with pytest.raises(Unreadable, match="cut short"):
            report.test(D2D)


def test_sums_alone_are_not_complete() -> None:
    report = nvbandwidth.parse("SUM host_to_device_memcpy_ce 845.90\nSUM all_to_one_read_ce 26.80")
    assert [case.sum_gbytes for case in report.testcases] == [845.90, 26.80]
    assert not report.complete


def test_an_excerpt_from_matrix_to_sum_is_a_test() -> None:
    excerpt = TEXT.split(f"Running {D2D}.\n")[1]
    both = excerpt.replace("Running host_device_latency_sm.\n", "")
    for text in (excerpt, both):
        report = nvbandwidth.parse(text)
        assert [case.complete for case in report.testcases] == [True, True]
        assert report.test(D2D).matrix == ((None, 797.88), (798.10, None))


def test_old_versions_print_no_address() -> None:
    text = TEXT.replace(" (00000008:01:00)", "").replace(" (00000018:01:00)", "")
    devices = nvbandwidth.parse(text).devices
    assert [(item.ordinal, item.name, item.pci) for item in devices] == [
        (0, "NVIDIA GB300", None),
        (1, "NVIDIA GB300", None),
    ]


def test_a_sum_of_another_test_completes_nothing() -> None:
    report = nvbandwidth.parse(TEXT.replace(f"SUM {D2D}", "SUM something_else"))
    assert [case.complete for case in report.testcases] == [False, False, True]


FAILED = "[CUDA_ERROR_ILLEGAL_ADDRESS] an illegal address in expression cuStreamSynchronize"


def test_a_failed_test_is_tool_failed_with_its_words() -> None:
    """It leaves the tests before it as they are."""
    report = nvbandwidth.parse(f"{TEXT}\nRunning host_to_device_memcpy_ce.\n{FAILED}\n")
    assert report.test(D2D).passed
    with pytest.raises(ToolFailed, match="ILLEGAL_ADDRESS"):
        report.test("host_to_device_memcpy_ce")


def test_a_run_in_which_nothing_was_measured_is_tool_failed() -> None:
    text = TEXT.split("memcpy CE")[0] + FAILED + "\n"
    for rc in (0, 1):
        with pytest.raises(ToolFailed, match="ILLEGAL_ADDRESS"):
            nvbandwidth.read(ended(text, rc=rc))
    with pytest.raises(ToolFailed, match="not found"):
        nvbandwidth.parse("ERROR: Testcase device_to_mars not found!\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT * 2,
        TEXT.replace(" 0       N/A    797.88", " 0    797.88"),
        TEXT.replace(" 0       N/A    797.88\n", ""),
        TEXT.replace("GPU(row) <- GPU(column)", ""),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvbandwidth.parse(text)


def test_a_wrong_sum_is_implausible() -> None:
    with pytest.raises(Implausible):
        nvbandwidth.parse(TEXT.replace("1595.98", "1695.98"))


@pytest.mark.parametrize("capture_text", [TEXT, SEVERAL_NODES, BOTH_WAYS])
def test_no_cut_makes_an_unfinished_test_pass(capture_text: str) -> None:
    whole = nvbandwidth.parse(capture_text)
    for length in range(len(capture_text)):
        try:
            report = nvbandwidth.parse(capture_text[:length])
        except RackError:
            continue
        for case in report.testcases:
            assert not case.passed or case in whole.testcases
