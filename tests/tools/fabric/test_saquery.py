"""`saquery`: records by name, with the types that their names have."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.saquery import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

NODE = capture("saquery", "healthy.txt")


def test_a_node_record_has_numbers_guids_and_texts() -> None:
    (record,) = parse(NODE)
    assert record.kind == "NodeRecord"
    assert record.number("lid") == 1
    assert record.fields["node_guid"] == "0000000000100000"
    assert record.fields["node_type"] == "Channel Adapter"
    assert record.complete


def test_a_description_of_digits_stays_a_text() -> None:
    (record,) = parse(
        NODE.replace("NodeDescription.........host-a", "NodeDescription.........0042")
    )
    assert record.fields["NodeDescription"] == "0042"


def test_a_missing_description_is_unknown() -> None:
    (record,) = parse(NODE.replace("NodeDescription.........host-a", "NodeDescription........."))
    assert record.fields["NodeDescription"] is None
    assert record.complete


def test_white_space_in_front_says_nothing() -> None:
    assert parse(NODE.replace("\t", "")) == parse(NODE)
    assert parse(NODE.replace("\n", "  \r\n")) == parse(NODE)


def test_a_cut_record_is_incomplete() -> None:
    (record,) = parse(capture("saquery", "degraded-cut.txt"))
    assert not record.complete
    half = NODE[: NODE.index("0000100000\n")]
    assert "sys_guid" not in parse(half)[0].fields


def test_paths_links_and_tables_are_read() -> None:
    assert [path.number("slid") for path in parse(capture("saquery", "paths.txt"))] == [1, 2]
    links = parse(capture("saquery", "links.txt"))
    assert links[0].fields == {"FromLID": 1, "FromPort": 1, "ToPort": 1, "ToLID": 2}
    first, second = parse(capture("saquery", "sl2vl.txt"))
    assert first.complete
    assert first.table[0].startswith("SL: 0| 1| 2")
    assert second.fields == {"LID": 2, "InPort": 0, "OutPort": 0}


def test_p_key_rows_are_a_table() -> None:
    text = (
        "PKeyTableRecord dump:\n"
        "\t\tLID........................5\n"
        "\t\tPort.......................1\n"
        "\t\tBlock......................0\n\t\tPKey Table:\n"
        "\t\t0xffff 0x7fff 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n\n"
    )
    (record,) = parse(text)
    assert record.table == ("0xffff 0x7fff 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000",)


def test_port_info_has_fields_with_a_colon_and_one_dot() -> None:
    (record,) = parse(capture("saquery", "port-info.txt"))
    assert record.fields["LinkState"] == "Active"
    assert record.fields["Mkey"] is None
    assert record.fields["McastPkeyTrapSuppressionEnabled"] == 0
    assert record.fields["CapMask"] == 0x50C04A


def test_names_of_class_port_info_have_blanks() -> None:
    (record,) = parse(capture("saquery", "class-port-info.txt"))
    assert record.kind == "SA ClassPortInfo"
    assert record.fields["Capability mask 2"] == 0xB5E8
    assert record.fields["Redirect GID"] == "::"


def test_a_list_of_adapters_needs_its_head() -> None:
    text = capture("saquery", "list.txt")
    assert parse(text)[0].fields == {"LID": 1, "name": "host-a"}
    with pytest.raises(Unreadable, match="found none"):
        parse(text.splitlines()[-1] + "\n")


def test_the_same_record_twice_is_two_reports() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        parse(NODE * 2)
    with pytest.raises(Unreadable, match="occurs twice in one record"):
        parse(NODE + NODE.replace("NodeRecord dump:\n", ""))


def test_an_error_of_the_subnet_administration_is_a_failed_tool() -> None:
    failed = capture("saquery", "failed.txt")
    with pytest.raises(ToolFailed, match="0x0200"):
        parse(failed)
    with pytest.raises(ToolFailed, match="SA_ERR_REQ_INVALID"):
        READERS["saquery"](ended("", stderr=failed, rc=5))
    with pytest.raises(Unreadable, match="found none"):
        parse(capture("saquery", "empty.txt"))


def test_members_of_one_group_have_no_titles() -> None:
    line = "\t\tPortGid.................fe80::10:{} (host-{})\n"
    members = parse(line.format(1, "a") + line.format(2, "b"))
    assert [member.fields["PortGid"] for member in members] == [
        "fe80::10:1 (host-a)",
        "fe80::10:2 (host-b)",
    ]
    with pytest.raises(Unreadable, match="2 reports"):
        parse(line.format(1, "a") * 2)


def test_half_of_a_table_is_left_out() -> None:
    text = capture("saquery", "sl2vl.txt")
    (record,) = parse(text[: text.index("VL: 0|") + 6])
    assert len(record.table) == 1
    assert not record.complete
