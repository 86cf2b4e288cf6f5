"""The topology form of ibnetdiscover: records, links told twice, and what a cut leaves certain."""

from __future__ import annotations

import re

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.fabric import ibnetdiscover
from fixtures.tools.fabric.ibnetdiscover_model import Kind, Node, Topology
from tests.tools.captures import capture, ended

HEALTHY = capture("ibnetdiscover", "healthy.txt")
LEAF, SPINE, CA = "5a1fe00000005100", "5a1fe00000005300", "5a1fe0000000a101"


def topology(text: str) -> Topology:
    found = ibnetdiscover.parse(text)
    assert isinstance(found, Topology)
    return found


def node(found: Topology, guid: str) -> Node:
    return next(node for node in found.nodes if node.guid == guid)


def test_a_cable_is_told_twice_and_counts_once() -> None:
    found = topology(HEALTHY)
    assert found.complete
    assert len(list(found.sides())) == 16
    assert len(found.links) == 8
    assert ((LEAF, 33), (SPINE, 1)) in found.links


def test_a_switchs_aggregation_node_is_a_ca_and_no_adapter() -> None:
    found = topology(HEALTHY)
    assert (len(found.switches), len(found.cas), len(found.adapters)) == (3, 5, 4)
    assert [node.guid for node in found.aggregation_nodes] == ["5a1fe00000005108"]


def test_an_aggregation_node_is_known_by_its_device_where_the_name_was_changed() -> None:
    renamed = HEALTHY.replace("Mellanox Technologies Aggregation Node", "leaf 1 sharp")
    assert len(topology(renamed).aggregation_nodes) == 1


def test_a_record_holds_its_header_lines() -> None:
    leaf = node(topology(HEALTHY), LEAF)
    assert (leaf.kind, leaf.port_count, leaf.lid, leaf.lmc) == (Kind.SWITCH, 65, 11, 0)
    assert (leaf.vendor_id, leaf.device_id, leaf.port_guid) == (0x2C9, 0xD2F2, LEAF)
    assert leaf.enhanced_port0 is True
    assert node(topology(HEALTHY), SPINE).enhanced_port0 is False


def test_guids_without_leading_zeros_are_those_in_quotes() -> None:
    port = node(topology(HEALTHY), "05a1fe000000a202").ports[0]
    assert port.guid == "05a1fe000000a202"
    assert port.lid == 24


def test_a_description_ends_at_the_last_quote_whatever_it_holds() -> None:
    found = topology(capture("ibnetdiscover", "degraded-full.txt"))
    assert node(found, LEAF).description == 'spare "blue" leaf # 7 [1]'
    assert node(found, LEAF).lid == 11
    assert node(found, SPINE).ports[0].peer.description == 'spare "blue" leaf # 7 [1]'
    assert node(found, CA).ports[0].peer.lid == 11


def test_codes_and_unknown_speeds_of_the_full_form() -> None:
    first, second, third = node(topology(capture("ibnetdiscover", "degraded-full.txt")), LEAF).ports
    assert (first.width, first.speed) == ("4X", "HDR")
    assert first.codes == {"s": 4, "w": 2, "v": 4, "e": 4}
    assert (second.width, second.speed) == ("1X", "EDR")
    assert (third.width, third.speed, third.codes) == ("2X", None, None)


def test_labels_of_ibdiagnet_are_no_guids() -> None:
    found = topology(capture("ibnetdiscover", "ibdiagnet.txt"))
    leaf = node(found, LEAF)
    assert [port.label for port in leaf.ports] == ["1/1/1", "1/1/2", "65"]
    assert [port.guid for port in leaf.ports] == [None, None, None]
    assert node(found, CA).ports[0].label == "B9D0F0/0/0/1"
    assert node(found, CA).ports[0].guid == CA
    assert node(found, "5a1fe00000005108").ports[0].label == "1"
    assert found.complete


def test_a_file_that_ibdiagnet_did_not_close_is_not_complete() -> None:
    text = capture("ibnetdiscover", "ibdiagnet.txt")
    assert not topology(text[: text.index("# File closed")]).complete


def test_chassis_and_front_numbers_of_the_grouped_form() -> None:
    found = topology(capture("ibnetdiscover", "grouped.txt"))
    line, adapter = node(found, "5a1fe000000d0001"), node(found, CA)
    assert (line.chassis, adapter.chassis) == (1, None)
    assert line.system_guid == "5a1fe000000d0000"
    assert [port.external_port for port in line.ports] == [None, 17]
    assert adapter.ports[0].peer.external_port == 17
    assert found.complete


def test_records_that_lost_their_tabs_are_read() -> None:
    squeezed = re.sub(r"\t+", "", HEALTHY)
    assert 'Switch65 "S-' in squeezed
    assert topology(squeezed).nodes == topology(HEALTHY).nodes


def test_the_first_ones_had_no_width_and_speed() -> None:
    found = topology(re.sub(r" 4xNDR", "", HEALTHY))
    assert {(port.width, port.speed) for node in found.nodes for port in node.ports} == {
        (None, None)
    }
    assert len(found.links) == 8


def test_routers_are_nodes_of_their_own_kind() -> None:
    text = HEALTHY.replace('"H-5a1fe0000000a101"', '"R-5a1fe0000000a101"')
    text = text.replace("caguid=0x5a1fe0000000a101\nCa", "rtguid=0x5a1fe0000000a101\nRt")
    found = topology(text)
    assert [node.guid for node in found.routers] == [CA]
    assert found.complete


@pytest.mark.parametrize("kind", ["whole lines", "characters"])
def test_a_cut_report_is_never_complete_and_never_wrong(kind: str) -> None:
    whole = topology(HEALTHY)
    lines = HEALTHY.splitlines(keepends=True)
    cuts = range(1, len(lines)) if kind == "whole lines" else range(200, len(HEALTHY) - 20, 37)
    for at in cuts:
        text = "".join(lines[:at]) if kind == "whole lines" else HEALTHY[:at]
        try:
            found = topology(text)
        except Unreadable:
            continue
        assert not found.complete
        assert found.links <= whole.links
        assert dict(found.sides()).items() <= dict(whole.sides()).items()


def test_an_excerpt_that_begins_within_a_record_takes_nothing_from_it() -> None:
    start = HEALTHY.index("[33]")
    found = topology(HEALTHY[start:])
    assert LEAF not in {node.guid for node in found.nodes}
    assert not found.complete


def test_header_lines_of_another_node_are_not_given_to_the_next() -> None:
    text = HEALTHY.replace(f"switchguid=0x{LEAF}({LEAF})", "switchguid=0x77(77)")
    found = topology(text)
    assert node(found, LEAF).device_id is None
    assert not found.complete


def test_ends_that_contradict_each_other_are_refused() -> None:
    text = HEALTHY.replace(f'[1]\t"S-{LEAF}"[33]', f'[1]\t"S-{LEAF}"[40]')
    with pytest.raises(Unreadable, match="5300 port 1, which says"):
        topology(text.replace(f'[2]\t"S-{LEAF}"[34]', f'[2]\t"S-{LEAF}"[33]'))


def test_an_end_that_only_the_other_side_tells_makes_it_incomplete() -> None:
    text = HEALTHY.replace(f'[33]\t"S-{SPINE}"[1]\t\t# "MF0;spine-1:MQM9700/U1" lid 13 4xNDR\n', "")
    found = topology(text)
    assert not found.complete
    assert not found.unlisted


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda text: text + text, "2 reports"),
        (lambda text: text + text[text.index("vendid") :], "listed twice"),
        (lambda text: text + capture("ibnetdiscover", "ports.txt"), "2 reports"),
        (lambda text: text.replace('[2]\t"H-', '[1]\t"H-'), "port 1 is listed twice"),
        (lambda text: text.replace('[1]\t"H-5a1f', '[1]\t"H-5a<redacted>'), "expected a header"),
        (lambda text: text.replace("[33]", "< [33]"), "--diff"),
        (lambda _: "", "no node listed"),
        (lambda _: "the fabric is fine\n", "no node listed"),
    ],
)
def test_what_cannot_be_one_report_is_refused(damage, says: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Unreadable, match=says):
        topology(damage(HEALTHY))


def test_a_port_that_the_node_does_not_have_is_implausible() -> None:
    with pytest.raises(Implausible, match="port 66"):
        topology(HEALTHY.replace("[65]", "[66]"))


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "".join(f"0: {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"   {line}  \n" for line in text.splitlines()),
        lambda text: "root@obs:~# ibnetdiscover\nibwarn: [7] hello\n" + text + "root@obs:~# ",
    ],
)
def test_what_stands_around_a_report_changes_nothing(paste) -> None:  # type: ignore[no-untyped-def]
    assert topology(paste(HEALTHY)) == topology(HEALTHY)


def test_a_node_that_did_not_answer_makes_it_incomplete() -> None:
    said = "src/query_smp.c:197; umad (DR path slid 0; dlid 0; 0,1,5) bad status 110; timed out"
    found = ibnetdiscover.read(ended(HEALTHY, stderr=said))
    assert isinstance(found, Topology)
    assert not found.complete


def test_lines_that_someone_left_out_make_it_incomplete() -> None:
    assert not topology(HEALTHY.replace("\nvendid", "\n...\nvendid", 1)).complete


def test_a_lid_without_a_description_is_not_taken_for_the_peers() -> None:
    text = HEALTHY.replace('# lid 21 lmc 0 "MF0;leaf-r0-1:MQM9700/U1" lid 11 4xNDR', "# lid 21")
    assert text != HEALTHY
    assert node(topology(text), CA).ports[0].peer.lid is None


def test_two_adapters_cabled_back_to_back_need_no_switch() -> None:
    def record(own: str, far: str) -> str:
        return (
            f'caguid=0x{own}\nCa\t1 "H-{own}"\t\t# "{own} mlx5_0"\n'
            f'[1]({own}) \t"H-{far}"[1] ({far}) \t\t# lid 1 lmc 0 "{far} mlx5_0" lid 2 4xHDR\n'
        )

    found = topology(record(CA, "5a1fe0000000a201") + "\n" + record("5a1fe0000000a201", CA))
    assert found.complete
    assert found.links == {((CA, 1), ("5a1fe0000000a201", 1))}
    assert found.nodes[0].ports[0].peer.port_guid == "5a1fe0000000a201"


def test_a_discovery_that_failed_is_the_tools_failure() -> None:
    text = capture("ibnetdiscover", "failed.txt")
    with pytest.raises(ToolFailed, match="can't open UMAD port"):
        ibnetdiscover.read(ended("", stderr=text, rc=1))


def test_the_command_names_adapter_and_port() -> None:
    assert ibnetdiscover.command("mlx5_4", 1).argv == ("ibnetdiscover", "-C", "mlx5_4", "-P", "1")
