"""Files that ibdiagnet writes: subnet managers, counters, and the CSV of everything."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric import ibdiagnet_db_csv, ibdiagnet_pm, ibdiagnet_sm
from tests.tools.captures import capture

SM = capture("ibdiagnet-sm", "healthy.txt")
PM = capture("ibdiagnet-pm", "healthy.txt")
CSV = capture("ibdiagnet-db-csv", "healthy.txt")


def test_subnet_managers_are_read_below_their_state() -> None:
    report = ibdiagnet_sm.parse(SM)
    assert [(sm.state, sm.lid, sm.priority) for sm in report.managers] == [
        ("master", 1, 15),
        ("standby", 0x1B2, 14),
        ("standby", 0x202, 0),
    ]
    assert report.master is not None
    assert report.master.guid == "a088c20300aa0001"
    assert report.complete


def test_a_file_without_its_last_line_was_cut() -> None:
    assert not ibdiagnet_sm.parse(capture("ibdiagnet-sm", "degraded-cut.txt")).complete
    assert not ibdiagnet_pm.parse(PM[: PM.index("# File closed")]).complete
    assert not ibdiagnet_db_csv.parse(CSV[: CSV.index("# File closed")]).complete


def test_old_managers_have_a_name_only() -> None:
    report = ibdiagnet_sm.parse(capture("ibdiagnet-sm", "old.txt"))
    assert [(sm.name, sm.state, sm.priority) for sm in report.managers] == [
        ("The Local Device/P1", "master", 14),
        ("leaf1/P0", "standby", 2),
    ]


def test_several_masters_are_no_subnet() -> None:
    with pytest.raises(Unreadable, match="3 masters"):
        _ = ibdiagnet_sm.parse(SM.replace("SM - standby", "SM - master")).master


def test_two_files_in_one_are_refused() -> None:
    for parse, text in (
        (ibdiagnet_sm.parse, SM),
        (ibdiagnet_pm.parse, PM),
        (ibdiagnet_db_csv.parse, CSV),
    ):
        with pytest.raises(Unreadable, match="2 reports"):
            parse(text + text)
        with pytest.raises(Unreadable):
            parse("cat: no such file\n")


def test_counters_are_hexadecimal_and_na_is_unknown() -> None:
    first, second = ibdiagnet_pm.parse(PM).ports
    assert (first.port, first.lid, first.device_id) == (1, 7, 4129)
    assert first.value("port_xmit_data_extended") == 0x1100AA3412
    assert second.value("port_xmit_data") == 4096
    assert first.counters["port_looping_errors"] is None
    with pytest.raises(Unreadable, match="port_looping_errors"):
        first.value("port_looping_errors")


def test_all_f_and_255_link_downs_have_stopped_counting() -> None:
    assert ibdiagnet_pm.parse(PM).ports[0].saturated == ("port_xmit_data",)
    degraded = ibdiagnet_pm.parse(capture("ibdiagnet-pm", "degraded.txt"))
    assert degraded.ports[1].saturated == ("link_down_counter", "symbol_error_counter")


def test_a_cut_counter_is_left_out() -> None:
    report = ibdiagnet_pm.parse(PM[: PM.rindex("1000\nsymbol")])
    assert "port_xmit_data_extended" not in report.ports[1].counters
    assert not report.complete


def test_a_port_twice_and_a_counter_twice_are_refused() -> None:
    with pytest.raises(Unreadable, match="occurs twice"):
        ibdiagnet_pm.parse(PM.replace("Port=2 Lid=0x0008", "Port=1 Lid=0x0007"))
    with pytest.raises(Unreadable, match="occurs twice"):
        ibdiagnet_pm.parse(PM.replace("port_xmit_data_extended=0x0000001", "port_xmit_data=0x1"))


def test_sections_have_their_own_columns() -> None:
    database = ibdiagnet_db_csv.parse(CSV)
    assert [section.name for section in database.sections] == [
        *("NODES", "LINKS", "PM_INFO", "WARNINGS_DISCOVERY"),
    ]
    (link,) = database.section("LINKS").records()
    assert link["PortNum1"] == "17"
    assert database.complete


def test_quoted_descriptions_hold_commas_and_quotes() -> None:
    database = ibdiagnet_db_csv.parse(CSV)
    names = [node["NodeDesc"] for node in database.section("NODES").records()]
    assert names == ["MF0;leaf1:MQM9700/U1", "node07, rack 3 mlx5_0"]
    (section,) = database.found("WARNINGS")
    (warning,) = section.records()
    assert warning["Summary"] == 'Node description "spare" is used twice'


def test_na_cells_are_unknown() -> None:
    (port,) = ibdiagnet_db_csv.parse(CSV).section("PM_INFO").records()
    assert port["PortLoopingErrors"] is None
    assert port["LinkDownedCounter"] == "0"


def test_padded_cells_are_stripped() -> None:
    padded = CSV.replace("NodeGuid1,PortNum1", "NodeGuid1 , PortNum1").replace(",17,", ", 17 ,")
    (link,) = ibdiagnet_db_csv.parse(padded).section("LINKS").records()
    assert link["PortNum1"] == "17"


def test_a_file_cut_in_a_section_says_so() -> None:
    database = ibdiagnet_db_csv.parse(capture("ibdiagnet-db-csv", "degraded-cut.txt"))
    assert not database.complete
    assert database.section("LINKS").complete
    assert not database.section("PM_INFO").complete
    assert len(database.section("PM_INFO").rows) == 1
    with pytest.raises(Unreadable, match="no section WARNINGS"):
        database.section("WARNINGS_DISCOVERY")


def test_a_ragged_row_spoils_its_section_only() -> None:
    database = ibdiagnet_db_csv.parse(capture("ibdiagnet-db-csv", "degraded-ragged.txt"))
    assert not database.section("LINKS").well_formed
    with pytest.raises(Unreadable, match="cells of its header"):
        list(database.section("LINKS").records())
    assert len(list(database.section("NODES").records())) == 2


def test_an_end_without_start_is_refused() -> None:
    with pytest.raises(Unreadable, match="ends no section"):
        ibdiagnet_db_csv.parse(CSV.replace("START_LINKS\n", ""))


def test_zeros_before_a_number_are_no_octal() -> None:
    managers = ibdiagnet_sm.parse(SM.replace("dev=4129", "dev=04129")).managers
    assert {manager.device_id for manager in managers} == {4129}
    assert managers[0].lid == 1
    assert ibdiagnet_sm.parse(SM.replace("lid=0x0001", "lid=0012")).managers[0].lid == 12
    port = ibdiagnet_pm.parse(PM.replace("Device=4129", "Device=04129")).ports[0]
    assert port.device_id == 4129


def test_a_quote_that_is_not_closed_ends_with_its_line() -> None:
    text = 'START_NODES\nNodeDesc,NodeGUID\n"leaf,0x1\nspine",0x2\nEND_NODES\n'
    section = ibdiagnet_db_csv.parse(text).section("NODES")
    assert not section.well_formed
    assert section.rows == ()
    with pytest.raises(Unreadable, match="cells of its header"):
        list(section.records())


def test_half_of_a_last_line_is_left_out() -> None:
    row = CSV.index("0xa088c20300aa0007", CSV.index("START_PM_INFO"))
    half = ibdiagnet_db_csv.parse(CSV[: CSV.index("\n", row) - 1])
    assert half.section("PM_INFO").rows == ()
    managers = ibdiagnet_sm.parse(SM[: SM.index("4\n    Port=1 lid=0x0202")])
    assert [manager.priority for manager in managers.managers] == [15]
    assert not managers.complete
    ports = ibdiagnet_pm.parse(PM[: PM.index("/mlx5_0/P2")])
    assert [port.port for port in ports.ports] == [1]
    closed = ibdiagnet_pm.parse(PM[: PM.index("# File closed") + 20])
    assert (closed.header.closed, closed.complete) == (None, False)
