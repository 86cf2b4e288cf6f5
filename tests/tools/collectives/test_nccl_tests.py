"""nccl-tests reports are read whole or not at all."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.collectives import nccl_command, nccl_tests
from tests.tools.captures import capture, ended

HEALTHY = capture("nccl-tests", "healthy.txt")


def test_a_report_is_read() -> None:
    report = nccl_tests.read(ended(HEALTHY))
    assert (report.ranks, report.hosts) == (4, ("r03-ct07", "r03-ct08"))
    assert report.nccl_version == "2.28.3+cuda13.0"
    assert (report.avg_busbw_gbytes, report.out_of_bounds, report.bounds_ok) == (630.0, 0, True)
    device = report.devices[3]
    assert (device.rank, device.host, device.pci) == (3, "r03-ct08", "0018:01:00.0")
    row = report.row(4294967296)
    assert (row.redop, row.root, row.out_of_place.busbw_gbytes) == ("sum", -1, 660.0)
    with pytest.raises(Unreadable):
        report.row(17179869184)


def test_wrong_values_are_a_reading_although_the_program_fails() -> None:
    report = nccl_tests.read(ended(capture("nccl-tests", "degraded.txt"), rc=1))
    assert (report.out_of_bounds, report.bounds_ok) == (7, False)
    assert report.rows[-1].out_of_place.wrong == 7


def test_the_iterations_column_comes_after_the_groups() -> None:
    [row] = nccl_tests.parse(capture("nccl-tests", "iterations.txt")).rows
    assert (row.iterations, row.in_place and row.in_place.busbw_gbytes) == (50, 279.62)


def test_a_table_without_header_is_read() -> None:
    [row] = nccl_tests.parse(capture("nccl-tests", "old-no-header.txt")).rows
    assert (row.redop, row.root, row.out_of_place.time_us) == ("sum", None, 74.78)
    assert row.out_of_place.wrong is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("failed.txt", "remote process exited"),
        ("launch.txt", "No route to host|ORTE was unable"),
        ("empty.txt", "ended from outside"),
    ],
)
def test_a_run_without_a_report_is_tool_failed(name: str, said: str) -> None:
    with pytest.raises(ToolFailed, match=said):
        nccl_tests.parse(capture("nccl-tests", name))
    with pytest.raises(ToolFailed):
        nccl_tests.read(ended(capture("nccl-tests", name), rc=1))


def test_a_missing_footer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="closing lines"):
        nccl_tests.parse(HEALTHY.replace("# Avg bus bandwidth", "# "))


def test_a_good_report_with_a_bad_status_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="exit status 3"):
        nccl_tests.read(ended(HEALTHY, rc=3))


@pytest.mark.parametrize(
    "text",
    [
        HEALTHY + HEALTHY,
        HEALTHY.replace("float     sum      -1   2684.4", "float     2684.4", 1),
        HEALTHY.replace("  busbw #wrong", "  #wrong", 1),
        HEALTHY.replace("Rank  3 ", "Rank  2 "),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nccl_tests.parse(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("600.00", "nan"),
        ("600.00", "-600.00"),
        ("600.00", "0.00"),
        ("2684.4", "0.0"),
        (": 630", ": 530"),
    ],
)
def test_what_cannot_be_true_is_implausible(old: str, new: str) -> None:
    with pytest.raises(Implausible):
        nccl_tests.parse(HEALTHY.replace(old, new, 1))


def test_the_command_names_every_host_and_passes_the_run_id() -> None:
    command = nccl_command.command("all_reduce", hosts=["r01-ct01", "r01-ct02"], slots=4)
    assert command.argv == (
        *("mpirun", "--allow-run-as-root", "-np", "8", "--host", "r01-ct01:4,r01-ct02:4"),
        *("--map-by", "ppr:4:node", "--mca", "plm_rsh_no_tree_spawn", "1"),
        *("-x", "RACKGATE_RUN", "-x", "NCCL_DEBUG"),
        *("all_reduce_perf", "-b", "512M", "-e", "16G", "-f", "2", "-g", "1", "-c", "1"),
    )
    assert (command.key, command.effect) == ("load/nccl-all_reduce", "load")
    assert command.env == {"NCCL_DEBUG": "VERSION"}
    assert nccl_command.launch_check(["r01-ct01"], slots=4).argv[-1] == "hostname"


def test_values_of_variables_stay_out_of_the_command_line() -> None:
    env = {"NCCL_DEBUG": "WARN", "HF_TOKEN": "s3cret"}
    command = nccl_command.command("all_reduce", hosts=["r01-ct01"], slots=4, env=env)
    assert command.env == env
    assert "s3cret" not in " ".join(command.argv)
    exported = [name for flag, name in pairwise(command.argv) if flag == "-x"]
    assert exported == ["RACKGATE_RUN", "HF_TOKEN", "NCCL_DEBUG"]
