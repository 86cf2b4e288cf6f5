"""The log of ibdiagnet: the table counts, not the lines that happen to be printed."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.fabric.ibdiagnet import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

HEALTHY = capture("ibdiagnet", "healthy.txt")
DEGRADED = capture("ibdiagnet", "degraded.txt")


def test_counts_of_nodes_are_kept_apart() -> None:
    log = parse(HEALTHY)
    assert (log.nodes, log.switches, log.channel_adapters, log.aggregation_nodes) == (15, 3, 9, 3)
    assert (log.total_switches, log.total_switch_ports) == (3, 195)
    assert (log.total_cas, log.total_ca_ports) == (12, 12)
    assert (log.links, log.links_by_rate) == (27, {"4x100": 24, "4x50": 3})
    assert log.header.version == "2.12.0.MLNX20230423.8a0e2f1"
    assert log.complete


def test_subnet_managers_have_their_states() -> None:
    master, standby = parse(HEALTHY).subnet_managers
    assert (master.state, master.lid, master.priority) == ("master", 1, 15)
    assert (standby.state, standby.description) == ("standby", "ufm02 mlx5_0")


def test_standby_managers_can_stand_below_a_heading() -> None:
    text = HEALTHY.replace("Standby SM: Port=1 LID=434", "Standby SM :\n  Port=1 LID=434")
    assert parse(text).subnet_managers == parse(HEALTHY).subnet_managers
    none = HEALTHY[: HEALTHY.index("Standby SM")] + "Standby SM : No Standby SM\n"
    assert [sm.state for sm in parse(none).subnet_managers] == ["master"]
    with pytest.raises(Unreadable, match="expected 'Port=1"):
        parse(HEALTHY.replace("LID=434", "LID=x"))


def test_errors_are_those_of_the_table() -> None:
    log = parse(DEGRADED)
    assert log.total_errors == 7
    assert len(log.errors) == 2
    assert log.not_all_printed
    assert log.result("Links Speed Check") == "finished with errors"


def test_a_stage_that_was_skipped_is_unknown() -> None:
    stage = next(stage for stage in parse(HEALTHY).stages if stage.name == "Port Counters")
    assert (stage.warnings, stage.errors, stage.comment) == (None, None, "Skipped by user")


def test_a_check_that_did_not_run_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="Routers"):
        parse(HEALTHY).result("Routers")


def test_a_log_cut_in_its_table_is_incomplete() -> None:
    log = parse(DEGRADED[: DEGRADED.index("-I- Speed / Width checks   ")])
    assert not log.complete
    with pytest.raises(Unreadable, match="no summary table"):
        _ = log.total_errors
    assert not parse(DEGRADED[: DEGRADED.index("Summary\n-I- Stage")]).complete


def test_a_table_without_rows_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="no rows"):
        parse(DEGRADED[: DEGRADED.index("-I- Discovery  ")])


def test_old_logs_count_in_their_progress() -> None:
    log = parse(capture("ibdiagnet", "old.txt"))
    assert (log.nodes, log.switches, log.total_cas, log.channel_adapters) == (6, 1, 5, None)
    assert log.complete


def test_version_1_has_errors_before_warnings() -> None:
    text = (
        "-I- Discovering ... 3 nodes (1 Switches & 2 CA-s) discovered.\n"
        "-I- Stages Status Report:\n"
        "    STAGE                                    Errors Warnings\n"
        "    Bad GUIDs/LIDs Check                     0      0\n"
        "    Performance Counters Report              1      4\n"
        "-I- Done. Run time was 1 seconds.\n"
    )
    log = parse(text)
    assert (log.stages[1].errors, log.stages[1].warnings) == (1, 4)
    assert log.total_errors == 1


def test_kinds_of_nodes_must_add_up() -> None:
    with pytest.raises(Implausible, match="15 nodes in all"):
        parse(HEALTHY.replace("IB Channel Adapters     : 9", "IB Channel Adapters     : 12"))


def test_two_logs_in_one_are_refused() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        parse(HEALTHY + HEALTHY)


def test_a_status_that_the_table_contradicts_is_reported() -> None:
    read = READERS["ibdiagnet"]
    assert read(ended(DEGRADED, rc=1)).total_errors == 7
    assert read(ended(HEALTHY, rc=0)).total_errors == 0
    with pytest.raises(ToolFailed, match="no stage counts an error"):
        read(ended(HEALTHY, rc=1))


def test_a_run_that_failed_says_why() -> None:
    with pytest.raises(ToolFailed, match="mlx5_9"):
        parse(capture("ibdiagnet", "failed.txt"))
    with pytest.raises(Unreadable, match="found none"):
        parse(capture("ibdiagnet", "empty.txt"))


def test_a_number_of_nodes_is_no_end_of_a_guid() -> None:
    log = parse(
        "-I- Discovering ... 2 nodes (1 Switches & 1 CA-s) discovered.\n"
        "GUID=0xa6 nodes (1 Switches & 5 CA-s) discovered.\n"
    )
    assert (log.nodes, log.total_cas) == (2, 1)


def test_half_of_a_last_line_is_left_out() -> None:
    rows = DEGRADED.partition("\n-I- Stage")
    table = rows[2].splitlines(keepends=True)
    cut = parse("".join(rows[:2]) + "".join(table[:3]) + "-I-")
    assert (len(cut.stages), cut.complete) == (2, False)
    nodes = parse(HEALTHY[: HEALTHY.index("Total Nodes") + len("Total Nodes             : 1")])
    assert nodes.nodes is None


def test_a_stage_that_finished_successfully_can_have_warnings() -> None:
    """And more than are printed: the checks of one stage say so one by one."""
    text = HEALTHY.replace(
        "Lids Check                          0 ", "Lids Check                          9 "
    )
    said = "-W- lid 7 is used twice\n-W- lid 9 is used twice\n"
    said += "-I- All other warnings can be found in ibdiagnet2.db_csv\n"
    log = parse(text.replace("-I- Lids Check fin", f"{said}-I- Lids Check fin"))
    assert log.result("Lids Check") == "finished successfully"
    assert [stage.warnings for stage in log.stages if stage.name == "Lids Check"] == [9]
    assert (len(log.warnings), log.total_errors) == (2, 0)
    assert log.not_all_printed
