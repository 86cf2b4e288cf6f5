"""nccl-tests reports are read whole or not at all."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.collectives import nccl_command, nccl_tests
from tests.tools.captures import capture, ended

HEALTHY = capture("nccl-tests", "healthy.txt")
RANKS_BEFORE_THE_LAST = ("#  Rank  0", "#  Rank  1", "#  Rank  2")


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
        *("-x", "RACKGATE_RUN", "-x", "NCCL_DEBUG", "-x", "NCCL_DEBUG_SUBSYS"),
        *("all_reduce_perf", "-b", "512M", "-e", "16G", "-f", "2", "-g", "1", "-c", "1"),
    )
    assert (command.key, command.effect) == ("load/nccl-all_reduce", "load")
    assert command.env == {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET,ENV"}
    repeated = nccl_command.command("alltoall", hosts=["a"], slots=4, iterations=50, cycles=5)
    assert repeated.argv[-4:] == ("-n", "50", "-N", "5")
    assert nccl_command.launch_check(["r01-ct01"], slots=4).argv[-1] == "hostname"


def test_values_of_variables_stay_out_of_the_command_line() -> None:
    env = {"NCCL_DEBUG": "WARN", "HF_TOKEN": "s3cret"}
    command = nccl_command.command("all_reduce", hosts=["r01-ct01"], slots=4, env=env)
    assert command.env == {"NCCL_DEBUG_SUBSYS": "INIT,NET,ENV", **env}
    assert "s3cret" not in " ".join(command.argv)
    exported = [name for flag, name in pairwise(command.argv) if flag == "-x"]
    assert exported == ["RACKGATE_RUN", "HF_TOKEN", "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS"]


def test_hosts_with_settings_of_their_own_are_contexts_of_their_own() -> None:
    own = {host: ("NCCL_IB_HCA", f"={name}:1") for host, name in zip("abc", "xyx", strict=True)}
    command = nccl_command.command("all_reduce", hosts=["a", "b", "c"], slots=1, own=own)
    colon = command.argv.index(":")
    first, rest = command.argv[:colon], command.argv[colon + 1 :]
    assert first[2:6] == ("-np", "2", "--host", "a:1,c:1")
    assert "NCCL_IB_HCA==x:1" in first
    assert rest[:4] == ("-np", "1", "--host", "b:1")
    assert "NCCL_IB_HCA==y:1" in rest
    assert "RACKGATE_RUN" in rest
    program = first[first.index("all_reduce_perf") :]
    assert rest[-len(program) :] == program


@pytest.mark.parametrize(("said", "ok"), [("0", True), ("0 FAILED", False)])
def test_one_listed_rank_has_no_bus_bandwidth(said: str, ok: bool) -> None:
    text = capture("nccl-tests", "iterations.txt").replace("279.62       0", "  0.00       0")
    rank = "#  Rank  0 Group  0 Pid  71001 on  r03-ct07 device  0 [0008:01:00] NVIDIA GB300\n"
    report = nccl_tests.parse(rank + text.replace(": 279.62", f": {said}"))
    assert (report.ranks, report.avg_busbw_gbytes, report.avg_ok) == (1, 0, ok)
    with pytest.raises(Implausible, match="a bus bandwidth of 0"):
        nccl_tests.parse(rank.replace("Rank  0", "Rank  1") + text.replace(": 279.62", ": 0"))


def test_the_last_rank_alone_says_how_many_there_are() -> None:
    lines = [line for line in HEALTHY.splitlines() if not line.startswith(RANKS_BEFORE_THE_LAST)]
    text = "\n".join(lines).replace("Rank  3 ", "Rank 1439 ")
    report = nccl_tests.parse(text.replace("NVIDIA GB300", "NVIDIA Graphics Device"))
    assert (report.ranks, len(report.devices)) == (1440, 1)
    assert report.devices[0].name == "NVIDIA Graphics Device"


def test_what_stands_around_header_and_rows_is_not_theirs() -> None:
    info = "r03-ct07:71001:71001 [0] NCCL INFO comm 0x5 rank 0 nranks 4 - Destroy COMPLETE\n"
    text = "MACHINEFILE\nr03-ct07\nr03-ct08\n\n" + "\n".join(map(str.strip, HEALTHY.splitlines()))
    header = "#                                                              out-of-place"
    assert header in text
    text = text.replace(header, info + header).replace("# Out of", info + info + "# Out of")
    assert nccl_tests.parse(text) == nccl_tests.parse(HEALTHY)


@pytest.mark.parametrize(
    "chain",
    [
        "        node: Test NCCL failure common.cu:7 'network error / '\n"
        "        .. node pid: Test failure common.cu:8\n",
        "Test NCCL failure common.cu:7 'invalid argument / '\nExit code: 3\n",
        "r03-ct07: Test NCCL failure common.cu:7 'invalid usage",
        "r03-ct07: Test NCCL failure common.cu:7 'x / '\n .. r03-ct07 pid 9: Test failure x.cu:8\n",
    ],
)
def test_the_first_line_of_a_failure_is_the_reason(chain: str) -> None:
    head = HEALTHY.partition("  1073741824")[0]
    for text in (chain, head + chain):
        with pytest.raises(ToolFailed, match=r"no data rows.*Test NCCL failure common\.cu:7"):
            nccl_tests.parse(text)
