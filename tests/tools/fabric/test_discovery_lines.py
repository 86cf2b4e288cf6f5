"""What people and programs put around the lines of ibnetdiscover and iblinkinfo, and leave out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric import iblinkinfo, ibnetdiscover
from fixtures.tools.fabric.iblinkinfo_model import LinkReport
from fixtures.tools.fabric.ibnetdiscover_model import Topology
from tests.tools.captures import capture

TOPOLOGY = capture("ibnetdiscover", "healthy.txt")
PORTS = capture("ibnetdiscover", "ports.txt")
NODES = capture("ibnodes", "healthy.txt")
LINKS = capture("iblinkinfo", "healthy.txt")
READS: list[tuple[Callable[[str], object], str]] = [
    (ibnetdiscover.parse, TOPOLOGY),
    (ibnetdiscover.parse, PORTS),
    (ibnetdiscover.parse, NODES),
    (iblinkinfo.parse, LINKS),
]
LEAF, SPINE = "5a1fe00000005100", "5a1fe00000005300"
COMPLAINT = "src/query_smp.c:197; umad (DR path slid 0; dlid 0; 0,1,5) bad status 110\n"


@pytest.mark.parametrize(("parse", "text"), READS)
@pytest.mark.parametrize("mark", ["> ", ">", "> > "])
def test_a_report_quoted_between_lines_of_mail_is_read(
    parse: Callable[[str], object], text: str, mark: str
) -> None:
    quoted = "".join(f"{mark}{line}\n" for line in text.splitlines())
    assert parse(f"On Monday she wrote:\n{quoted}\nThat looks fine.\n") == parse(text)


@pytest.mark.parametrize(("parse", "text"), READS)
@pytest.mark.parametrize("said", [COMPLAINT, "...\n", "[...]\n", "--\n"])
def test_a_complaint_or_a_gap_among_the_lines_makes_any_form_incomplete(
    parse: Callable[[str], object], text: str, said: str
) -> None:
    lines = text.splitlines(keepends=True)
    found = parse("".join((*lines[:-1], said, lines[-1])))
    assert not found.complete  # type: ignore[attr-defined]


def topology(text: str) -> Topology:
    found = ibnetdiscover.parse(text)
    assert isinstance(found, Topology)
    return found


def numbers(found: Topology, guid: str) -> list[int]:
    return [port.number for node in found.nodes if node.guid == guid for port in node.ports]


def test_ports_after_dots_within_a_record_are_its_own() -> None:
    found = topology(TOPOLOGY.replace("\n[33]", "\n...\n[33]", 1))
    assert numbers(found, LEAF) == [1, 2, 33, 34, 65]
    assert not found.complete


def test_ports_that_start_again_after_dots_belong_to_a_record_that_was_left_out() -> None:
    head = TOPOLOGY.index("vendid", TOPOLOGY.index("5200") - 200)
    ports = TOPOLOGY.index("[1]", head)
    found = topology(f"{TOPOLOGY[:head]}...\n{TOPOLOGY[ports:]}")
    assert numbers(found, LEAF) == [1, 2, 33, 34, 65]
    assert "5a1fe00000005200" not in {node.guid for node in found.nodes}


def test_ports_after_a_gap_of_grep_belong_to_nobody() -> None:
    found = topology(TOPOLOGY.replace("\n[33]", "\n--\n[33]", 1))
    assert numbers(found, LEAF) == [1, 2]


def test_header_lines_before_dots_are_not_given_to_the_next_record() -> None:
    text = TOPOLOGY.replace("switchguid=0x5a1fe00000005300(5a1fe00000005300)", "...")
    (spine,) = (node for node in topology(text).nodes if node.guid == SPINE)
    assert (spine.vendor_id, spine.system_guid) == (None, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('# "r03-ct07 mlx5_0" lid 21', '# "r03-ct07\nmlx5_0" lid 21'),
        ('"r03-ct07 mlx5_0" lid 21', '"r03-ct07 mlx5_0"\nlid 21'),
        (" lid 21 4xNDR", " lid 21\n4xNDR"),
        ('"r03-ct07 mlx5_0" lid 21 4xNDR', '"the "old" r03-ct07'),
        ('Switch\t65 "S-5a1fe00000005300"', 'Switch\t65 "S-<redacted>"'),
        ('"MF0;spine-1:MQM9700/U1" base', '"MF0;spine-1:\nMQM9700/U1" base'),
    ],
)
def test_lines_that_mail_folded_or_someone_blanked_are_refused(old: str, new: str) -> None:
    assert old in TOPOLOGY
    with pytest.raises(Unreadable, match="expected a header, node or port line"):
        topology(TOPOLOGY.replace(old, new, 1))


def test_a_port_line_without_its_remark_tells_the_cable_and_is_not_complete() -> None:
    found = topology(TOPOLOGY.replace('\t\t# "MF0;spine-1:MQM9700/U1" lid 13 4xNDR', "", 1))
    port = next(port for port in found.nodes[0].ports if port.number == 33)
    assert (port.peer.guid, port.peer.port, port.peer.lid, port.speed) == (SPINE, 1, None, None)
    assert not found.complete


def owners(found: LinkReport) -> list[tuple[str | None, list[int]]]:
    return [(node.description, [port.number for port in node.ports]) for node in found.nodes]


def rows_without_heading(name: str) -> str:
    return "".join(line for line in LINKS.splitlines(keepends=True) if name not in line[:40])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (rows_without_heading("Switch:"), [("r03-ct07 mlx5_0", [1]), (None, [1, 2])]),
        (rows_without_heading("CA: r03-ct08"), [("MF0;leaf-r0-1:MQM9700/U1", [1, 2]), (None, [1])]),
        (LINKS.replace("0x5a1fe00000005100 MF0", "0x5a1f<redacted> MF0"), [(None, [1, 2])]),
        (
            LINKS.replace("MF0;leaf-r0-1:MQM9700/U1:\n", "MF0;leaf-\nr0-1:MQM9700/U1:\n"),
            [(None, [1, 2])],
        ),
    ],
)
def test_a_row_is_never_given_to_the_node_before_a_heading_that_is_lost(
    text: str, found: list[tuple[str | None, list[int]]]
) -> None:
    report = iblinkinfo.parse(text)
    assert all(owner in owners(report) for owner in found)
    assert not report.complete


def test_rows_of_a_switch_go_on_after_dots() -> None:
    report = iblinkinfo.parse(LINKS.replace("          11    2[", "...\n          11    2["))
    assert ("MF0;leaf-r0-1:MQM9700/U1", [1, 2]) in owners(report)
    assert not report.complete


def test_a_switch_that_lacks_ports_between_others_is_not_complete() -> None:
    row = '          11    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
    at = LINKS.index("CA: r03-ct08")
    assert not iblinkinfo.parse(LINKS[:at] + row + LINKS[at:]).complete
    assert iblinkinfo.parse(LINKS[:at] + row.replace("4[", "3[") + LINKS[at:]).complete


@pytest.mark.parametrize(("parse", "text"), READS)
def test_reports_of_two_subnets_are_two_reports(parse: Callable[[str], object], text: str) -> None:
    """Nothing of them is the same, but the LIDs that each subnet counts from 1."""
    other = text.replace("5a1fe", "6b2fe").replace("# Topology file", "# a file")
    with pytest.raises(Unreadable, match=r"two (reports|lists)"):
        parse(text + other)


@pytest.mark.parametrize("parse", [ibnetdiscover.parse, iblinkinfo.parse])
def test_what_diff_prints_is_named(parse: Callable[[str], object]) -> None:
    row = '          11    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )'
    text = f"{LINKS}< {row}\n> {row}\n" if parse is iblinkinfo.parse else f"{TOPOLOGY}< [3]\n"
    with pytest.raises(Unreadable, match="--diff"):
        parse(text)
