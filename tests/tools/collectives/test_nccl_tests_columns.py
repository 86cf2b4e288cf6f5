"""The columns that options, collectives, data types and RCCL's fork add or leave out."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.collectives import nccl_tests
from tests.tools.captures import capture

HEALTHY = capture("nccl-tests", "healthy.txt")
ITERATIONS = capture("nccl-tests", "per-iteration.txt")
RCCL = capture("nccl-tests", "rccl.txt")


def test_times_of_single_iterations_and_different_bits_are_read() -> None:
    report = nccl_tests.parse(ITERATIONS)
    assert (report.program, report.nccl_version) == ("alltoall_perf", "2.30.1")
    first, last = report.rows
    assert (first.type, last.type, last.redop) == ("f8e4m3", "f8e5m2", "none")
    spread = first.out_of_place.spread
    assert spread
    assert (spread.min_us, spread.max_us, spread.p99_us) == (48.25, 71.5, 70.75)
    assert spread.cv_percent == 4.25
    assert last.in_place
    assert (last.in_place.busbw_gbytes, last.in_place.wrong) == (92.18, None)
    assert (first.out_of_place.different_bits, last.in_place.different_bits) == (0, 9)


def test_the_longest_iteration_is_not_below_the_shortest() -> None:
    with pytest.raises(Implausible, match="i_max"):
        nccl_tests.parse(ITERATIONS.replace("   71.50 ", "   41.50 "))


def test_the_file_has_them_too() -> None:
    file = json.loads(capture("nccl-tests", "file.json"))
    times = {"min_us": 9.5, "max_us": 12.5, "p99_us": 11.5, "cv_pct": 3.5, "times_us": [9.5]}
    for row in file["results"]:
        row["in_place_per_iter"] = times
        row["in_place"]["bitwise"] = {"different_bits": 3}
    half = nccl_tests.parse(json.dumps(file)).rows[0].in_place
    assert half
    assert half.spread
    assert (half.spread.max_us, half.spread.cv_percent, half.different_bits) == (12.5, 3.5, 3)


def test_rccl_can_run_out_of_place_alone() -> None:
    report = nccl_tests.parse(RCCL)
    assert (report.tests_version, report.nccl_version) == ("develop:1a2b3c4", "2.27.9-HEAD:5d6e7f8")
    last = report.rows[-1]
    assert (last.type, last.root, last.in_place) == ("fp8_e5m2", 1, None)
    assert (last.out_of_place.busbw_gbytes, last.out_of_place.wrong) == (17.48, 0)


def test_in_place_runs_alone_are_not_taken_for_the_others() -> None:
    with pytest.raises(Unreadable, match="in-place runs alone"):
        nccl_tests.parse(RCCL.replace("out-of-place", "in-place    "))
    with pytest.raises(Unreadable, match="expected the columns"):
        nccl_tests.parse(HEALTHY.replace("  2684.4  400.00  600.00      0 ", " " * 30, 1))


@pytest.mark.parametrize("version", ["Unknown", ":+"])
def test_rccl_tests_may_not_know_their_version(version: str) -> None:
    assert nccl_tests.parse(RCCL.replace("develop:1a2b3c4", version)).tests_version is None


@pytest.mark.parametrize("text", ["numCycle,collective,nodes\n0,x,1\n", '[\n{"numCycle":0}]'])
def test_a_file_of_rccl_tests_is_named(text: str) -> None:
    with pytest.raises(Unreadable, match="-x has no verdict"):
        nccl_tests.parse(text)


def test_rows_that_somebody_made_comments_are_rows() -> None:
    text = "\n".join(f"#{line}" if "float" in line else line for line in HEALTHY.splitlines())
    assert nccl_tests.parse(text) == nccl_tests.parse(HEALTHY)


def test_the_end_of_a_table_says_that_rows_are_missing() -> None:
    end = HEALTHY[HEALTHY.index("  2147483648") :]
    report = nccl_tests.parse(end)
    assert (report.elided, len(report.rows), report.avg_busbw_gbytes) == (True, 2, 630)
    with pytest.raises(ToolFailed, match="or an excerpt"):
        nccl_tests.parse(end.partition("# Out of")[0])


@pytest.mark.parametrize(
    ("lead", "found"),
    [
        ("float     sum       0", ("sum", 0)),
        ("float     sum", ("sum", None)),
        ("float", (None, None)),
    ],
)
def test_without_a_header_the_cells_tell_operation_and_root(
    lead: str, found: tuple[str | None, int | None]
) -> None:
    text = capture("nccl-tests", "old-no-header.txt").replace("float     sum", lead)
    [row] = nccl_tests.parse(text).rows
    assert (row.redop, row.root) == found
    assert (row.out_of_place.time_us, row.in_place and row.in_place.busbw_gbytes) == (74.78, 14.02)


def test_an_error_of_old_releases_is_no_count() -> None:
    """Their small sizes round to 0.00 GB/s, and pull the mean far below the large ones."""
    text = """
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
        1024           256   float     sum    640.0    0.00    0.00  2e-07    84.00    0.01    0.02  4e-07
  1073741824     268435456   float     sum    80000   13.42   20.13  5e-07    80000   13.42   20.13  5e-07
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 10.07
"""  # noqa: E501
    report = nccl_tests.parse(text)
    last = report.row(1073741824)
    assert (last.redop, last.root, last.out_of_place.wrong) == ("sum", None, 5e-07)
    assert (last.out_of_place.busbw_gbytes, report.avg_busbw_gbytes) == (20.13, 10.07)


def test_sizes_that_round_to_nothing_occur_again_and_again() -> None:
    zero = "           0             0     float    none      -1     0.30    0.00    0.00      0"
    zero += "     0.26    0.00    0.00    N/A\n"
    head, first, rest = HEALTHY.partition("  1073741824")
    text = f"{head}{zero * 2}{first}{rest}".replace(": 630", ": 378")
    report = nccl_tests.parse(text)
    assert [row.size_bytes for row in report.rows[:3]] == [0, 0, 1073741824]
    assert (report.elided, report.avg_busbw_gbytes) == (False, 378)
    half = report.rows[0].in_place
    assert half
    assert (half.busbw_gbytes, half.wrong) == (0, None)


def test_a_bus_bandwidth_can_be_below_the_algorithms() -> None:
    text = HEALTHY.replace("600.00", "380.00").replace(": 630", ": 556.667")
    assert nccl_tests.parse(text).rows[0].out_of_place.busbw_gbytes == 380
