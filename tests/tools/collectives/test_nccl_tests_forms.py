"""The forms of nccl-tests: releases, launchers, excerpts, and the JSON file of `-J`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.collectives import nccl_tests
from tests.tools.captures import capture, ended

HEALTHY = capture("nccl-tests", "healthy.txt")
FILE = capture("nccl-tests", "file.json")


def changed(**changes: Any) -> str:
    return json.dumps({**json.loads(FILE), **changes})


def test_a_timestamp_column_is_no_group() -> None:
    report = nccl_tests.parse(capture("nccl-tests", "timestamps.txt"))
    assert (report.program, report.tests_version) == ("broadcast_perf", "2.18.0")
    first, last = report.rows
    assert (first.redop, first.root) == ("none", 0)
    assert (first.in_place and first.in_place.time_us, last.out_of_place.wrong) == (20.97, 0)
    assert last.in_place is not None
    assert last.in_place.wrong is None


@pytest.mark.parametrize(
    "prefix",
    [
        "[1,0]<stdout>:",
        "[1,0]<stdout>: ",
        "[prterun-r03-ct07-4711@1,0]<stdout>: ",
        "0: ",
        " 0: ",
        "> ",
        "        ",
        "[rank0]: ",
    ],
)
def test_launchers_and_replies_put_things_before_lines(prefix: str) -> None:
    text = "\n".join(prefix + line for line in HEALTHY.splitlines())
    assert nccl_tests.parse(text) == nccl_tests.parse(HEALTHY)
    assert nccl_tests.parse(text.replace("\n", "\r\n")) == nccl_tests.parse(HEALTHY)


def test_other_ranks_may_talk_between() -> None:
    report = nccl_tests.parse(capture("nccl-tests", "tagged.txt"))
    assert (report.ranks, report.avg_busbw_gbytes) == (4, 630.0)


def test_reports_of_two_ranks_are_two_reports() -> None:
    lines = HEALTHY.splitlines()
    both = [f"{rank}: {line}" for rank in (0, 1) for line in lines]
    with pytest.raises(Unreadable, match="2 reports"):
        nccl_tests.parse("\n".join(both))


def test_rccl_names_its_library_and_devices() -> None:
    text = HEALTHY.replace("NCCL version 2.28.3+cuda13.0", "RCCL version : 2.22.3-HEAD:1a2b3c")
    report = nccl_tests.parse(text.replace("[0008:01:00]", "[0000:c1:00.0]"))
    assert report.nccl_version == "2.22.3-HEAD:1a2b3c"
    assert report.devices[0].pci == "0000:c1:00.0"


def test_the_library_code_says_the_version_where_nccl_does_not() -> None:
    text = HEALTHY.replace("NCCL version 2.28.3+cuda13.0\n", "")
    assert nccl_tests.parse(text).nccl_version == "2.28.3"


@pytest.mark.parametrize("mark", ["...", "        ...", "[...]", "…", "# ...", "[snip]"])
def test_an_elided_table_has_no_mean_to_check(mark: str) -> None:
    row = next(line for line in HEALTHY.splitlines() if line.startswith("  2147483648"))
    report = nccl_tests.parse(HEALTHY.replace(row, mark).replace(": 630", ": 600"))
    assert (report.elided, len(report.rows)) == (True, 2)


def test_an_elided_list_of_ranks_has_no_number_of_ranks() -> None:
    last = next(line for line in HEALTHY.splitlines() if line.startswith("#  Rank  3"))
    report = nccl_tests.parse(HEALTHY.replace(last, "#  ..."))
    assert (report.ranks, len(report.devices), report.elided) == (None, 3, False)


def test_a_list_of_ranks_can_be_elided_in_the_middle() -> None:
    second = next(line for line in HEALTHY.splitlines() if line.startswith("#  Rank  1"))
    assert nccl_tests.parse(HEALTHY.replace(second, "...")).ranks == 4


def test_a_torn_rank_line_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="Rank N"):
        nccl_tests.parse(HEALTHY.replace("device  1 [0018:01:00]", "dev", 1))


def test_times_of_the_cpu_are_marked() -> None:
    assert nccl_tests.parse(HEALTHY.replace("   time ", "cputime ")).cputime
    assert not nccl_tests.parse(HEALTHY).cputime


def test_a_blank_operation_is_known_from_the_header() -> None:
    text = HEALTHY.replace("float     sum      -1 ", "float              -1 ")
    row = nccl_tests.parse(text).rows[0]
    assert (row.redop, row.root, row.out_of_place.busbw_gbytes) == (None, -1, 600.0)


def test_a_failure_after_a_good_report_is_not_ignored() -> None:
    late = HEALTHY + " .. r03-ct07 pid 71001: Test failure common.cu:1126\n"
    with pytest.raises(ToolFailed, match="all is well"):
        nccl_tests.parse(late)
    judged = late.replace("bandwidth    : 630", "bandwidth    : 630 FAILED")
    assert not nccl_tests.parse(judged).avg_ok


def test_the_cause_is_named_before_the_launchers_noise() -> None:
    text = (
        "prterun noticed that process rank 0 exited on signal\n"
        "r03-ct08: Test CUDA failure common.cu:1030 'out of memory'\n"
        " .. r03-ct08 pid 61001: Test failure common.cu:891\n"
    )
    with pytest.raises(ToolFailed, match="Test CUDA failure"):
        nccl_tests.read(ended(text, rc=2))


def test_the_file_is_read_as_the_text_is() -> None:
    report = nccl_tests.parse(FILE)
    assert (report.program, report.nccl_version) == ("all_reduce_perf", "2.29.7")
    assert (report.bounds_ok, report.avg_ok, report.avg_busbw_gbytes) == (True, True, 72.5)
    row = report.row(2097152)
    assert (row.root, row.redop, row.iterations, row.out_of_place.wrong) == (-1, "sum", 20, 0)
    assert report.devices[1].pci == "0018:01:00.0"


def test_a_process_lists_its_first_device_only_in_the_file() -> None:
    assert nccl_tests.parse(FILE).ranks == 4


@pytest.mark.parametrize("key", ["bandwidth", "bandwidith"])
def test_the_misspelt_key_of_older_releases_is_the_bandwidth(key: str) -> None:
    spelt = {f"average_bus_{key}": {key: 72.5, "okay": "true"}}
    rest = {name: item for name, item in json.loads(FILE).items() if not name.startswith("average")}
    assert nccl_tests.parse(json.dumps({**rest, **spelt})).avg_busbw_gbytes == 72.5


def test_wrong_values_in_the_file_are_a_reading() -> None:
    report = nccl_tests.read(ended(capture("nccl-tests", "file-degraded.json")))
    assert (report.out_of_bounds, report.bounds_ok, report.avg_ok) == (3, False, False)


def test_a_failed_run_ends_its_file_without_sums() -> None:
    with pytest.raises(ToolFailed, match="Cuda failure 999"):
        nccl_tests.parse(capture("nccl-tests", "file-failed.json"))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (changed(average_bus_bandwidth={"bandwidth": 50.0, "okay": "true"}), Implausible),
        (changed(average_bus_bandwidth={"bandwidth": "nan", "okay": "true"}), Implausible),
        (changed(out_of_bounds={"count": 0, "okay": "maybe"}), Unreadable),
        (changed(results=[{"size": 8}]), Unreadable),
        (changed(config=None), Unreadable),
        (FILE[:-40], Unreadable),
    ],
)
def test_a_file_that_cannot_be_true_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        nccl_tests.parse(text)


INFO = "r03-ct07:71001:71100 [0] NCCL INFO Connected all trees\n"
WARN = "\nr03-ct07:71001:71100 [0] misc/socket.cc:4 (f) NCCL WARN Retrying\n"


@pytest.mark.parametrize("said", [INFO, INFO + INFO, WARN, f"{WARN}\n{INFO}"])
@pytest.mark.parametrize("before", ["float     sum      -1", "420.00  630.00      0"])
def test_rows_that_nccl_wrote_into_are_put_together(said: str, before: str) -> None:
    torn = HEALTHY.replace(f"{before}   5113.1", f"{before}{said}   5113.1")
    assert torn != HEALTHY
    assert nccl_tests.parse(torn) == nccl_tests.parse(HEALTHY)


def test_a_root_and_a_host_of_digits_are_not_told_apart() -> None:
    said = INFO.replace("r03-ct07", "3767c65d25c4")
    with pytest.raises(Unreadable):
        nccl_tests.parse(HEALTHY.replace("-1   5113.1", f"-1{said}   5113.1"))
    assert nccl_tests.parse(HEALTHY.replace("-1   5113.1", f"-1{said}{said}   5113.1"))


def test_a_failure_in_the_middle_of_a_row_is_a_failed_run() -> None:
    head = HEALTHY.partition("   5113.1")[0]
    failed = f"{head}r03-ct07: Test NCCL failure common.cu:392 'remote process exited / '\n"
    with pytest.raises(ToolFailed, match="remote process exited"):
        nccl_tests.parse(failed)


def test_columns_after_the_groups_are_not_of_them() -> None:
    text = HEALTHY.replace("busbw #wrong\n", "busbw #wrong     algo     proto   nchannels\n")
    lines = [
        f"{line}    RING    SIMPLE          32" if "float" in line else line
        for line in text.splitlines()
    ]
    assert nccl_tests.parse("\n".join(lines)).rows == nccl_tests.parse(HEALTHY).rows


def test_releases_of_2018_mark_no_comments() -> None:
    old = (
        HEALTHY.replace("# Out of", " Out of")
        .replace("# Avg bus", " Avg bus")
        .replace("#  ", "   ")
    )
    assert nccl_tests.parse(old).rows == nccl_tests.parse(HEALTHY).rows


def test_one_rank_that_is_not_listed_has_no_bus_bandwidth() -> None:
    ranks = [line for line in HEALTHY.splitlines() if "Rank" not in line]
    alone = "\n".join(ranks).replace(": 630", ": 0")
    for rate in ("600.00", "630.00", "660.00"):
        alone = alone.replace(rate, "  0.00")
    assert nccl_tests.parse(alone).avg_busbw_gbytes == 0
    with pytest.raises(Implausible):
        nccl_tests.parse(alone.replace("  0.00", "  0.10", 1))


def test_times_of_another_unit_are_implausible() -> None:
    milliseconds = HEALTHY.replace(" 2684.4 ", " 2.6844 ")
    assert milliseconds != HEALTHY
    with pytest.raises(Implausible, match="milliseconds"):
        nccl_tests.parse(milliseconds)
    cpu = HEALTHY.replace(" 2684.4 ", "    3.1 ").replace("   time ", "cputime ")
    assert nccl_tests.parse(cpu).rows[0].out_of_place.time_us == 3.1
