"""Trees, forests and blocks: what Slurm was told, and what its controller holds."""

from __future__ import annotations

import textwrap

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.scheduler import scontrol_topology, topology_conf, topology_yaml
from fixtures.tools.scheduler.readers import READERS
from tests.tools.captures import capture, ended


def shown(name: str) -> str:
    return capture("scontrol-topology", name)


def conf(name: str) -> str:
    return capture("topology-conf", name)


def yaml(name: str) -> str:
    return capture("topology-yaml", name)


def test_the_controller_shows_levels_and_all_nodes_below() -> None:
    found = scontrol_topology.parse(shown("healthy.txt"))
    assert [(one.name, one.level, one.link_speed) for one in found.switches] == [
        ("leaf-a", 0, "1"), ("leaf-b", 0, "400"), ("spine", 1, "1"),
    ]  # fmt: skip
    assert found.switches[1].nodes == ("gpu005", "gpu006", "gpu009")
    assert (found.roots, len(found.nodes)) == (("spine",), 7)
    assert found.undefined == frozenset()


def test_a_switch_without_nodes_is_a_switch() -> None:
    found = scontrol_topology.parse(shown("degraded.txt"))
    assert (found.switches[0].node_list, found.switches[0].nodes) == (None, ())
    assert [leaf.name for leaf in found.leaves] == ["leaf1", "leaf2"]


def test_blocks_and_what_is_made_of_them() -> None:
    found = scontrol_topology.parse(shown("blocks.txt"))
    assert [(b.name, b.index, b.size, b.aggregated, len(b.nodes)) for b in found.blocks] == [
        ("b01", 0, 18, False, 18), ("b02", 1, 18, False, 18), ("b[01-02]", 2, 36, True, 36),
    ]  # fmt: skip


def test_no_controller_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="Unable to contact"):
        READERS["scontrol-topology"](ended(shown("failed.txt"), rc=1))
    with pytest.raises(ToolFailed, match="No topology information"):
        READERS["scontrol-topology"](
            ended(stderr="scontrol: error: No topology information available")
        )


@pytest.mark.parametrize(
    "text",
    [
        shown("empty.txt"),
        shown("healthy.txt") * 2,
        shown("healthy.txt")[:-20] + "\n",
        shown("healthy.txt").replace("Nodes=gpu[001-006,009]", "Nodes=gpu[001-"),
        shown("healthy.txt").replace("Nodes=gpu[005-006,009]", "Nodes=gpu[005-006\n,009]"),
        shown("healthy.txt").replace("LinkSpeed=400", "Level=0"),
    ],
)
def test_what_the_controller_did_not_say_so_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        scontrol_topology.parse(text)


def test_parameters_have_no_case_and_lines_go_on() -> None:
    found = topology_conf.parse(conf("healthy.conf"))
    assert [one.name for one in found.switches] == [
        *("core", "spine1", "spine2", "leaf1", "leaf2", "leaf3"),
    ]
    core, spine1, spine2, leaf1, leaf2, leaf3 = found.switches
    assert (core.switches, spine1.switches) == (("spine1", "spine2"), ("leaf1", "leaf2"))
    assert spine2.link_speed == "400"
    assert (len(leaf1.nodes), leaf1.nodes[8]) == (16, "rack1node0")
    assert leaf2.nodes[0] == "ct01"
    assert leaf3.nodes[-1] == "sv-1.hall"
    assert found.roots == ("core",)


def test_a_paste_has_prompts() -> None:
    text = f"root@ctl:/etc# cat topology.conf\n{conf('healthy.conf')}[root@ctl ~]$ \n"
    assert topology_conf.parse(text) == topology_conf.parse(conf("healthy.conf"))
    fenced = f"```\n{conf('healthy.conf')}```\n"
    assert topology_conf.parse(fenced) == topology_conf.parse(conf("healthy.conf"))
    quoted = "".join(f"> {line}\n" for line in conf("healthy.conf").splitlines())
    assert topology_conf.parse(quoted) == topology_conf.parse(conf("healthy.conf"))


def test_lines_that_were_left_out_are_missed() -> None:
    assert not topology_conf.parse(conf("blocks.conf") + "...\n").complete
    assert not scontrol_topology.parse(f"...\n{shown('healthy.txt')}").complete
    assert topology_conf.parse(conf("blocks.conf")).complete
    assert scontrol_topology.parse(shown("healthy.txt")).complete
    assert not scontrol_topology.parse(shown("healthy.txt").partition("\n")[2]).complete


def test_another_file_that_is_included_is_missed() -> None:
    found = topology_conf.parse(f"Include topology.d/east.conf\n{conf('blocks.conf')}")
    assert not found.complete
    assert found.blocks == topology_conf.parse(conf("blocks.conf")).blocks


def test_a_line_that_a_mail_client_broke_is_whole_again() -> None:
    for break_ in (" Nodes", " Switches", " LinkSpeed"):
        text = shown("healthy.txt").replace(break_, f"\n{break_[1:]}")
        assert scontrol_topology.parse(text) == scontrol_topology.parse(shown("healthy.txt"))


def test_no_list_is_no_name() -> None:
    [one] = scontrol_topology.parse("SwitchName=s Level=0 Nodes=n1 Switches=(null)\n").switches
    assert (one.node_list, one.switch_list, one.switches) == ("n1", None, ())


def test_two_roots_are_a_forest_and_missing_leaves_are_named() -> None:
    found = topology_conf.parse(conf("degraded.conf"))
    assert found.roots == ("left", "right")
    assert found.undefined == {"leaf2", "leaf4"}


def test_blocks_have_sizes() -> None:
    found = topology_conf.parse(conf("blocks.conf"))
    assert (found.block_sizes, [len(one.nodes) for one in found.blocks]) == ((16, 32), [18, 18])


@pytest.mark.parametrize(
    "text",
    [
        conf("empty.conf"),
        conf("failed.conf"),
        conf("bomb.conf"),
        conf("healthy.conf") * 2,
        conf("blocks.conf").replace("BlockSizes=16,32", "BlockSizes=16,\nBlockSizes=1"),
        "SwitchName=s1\n",
        "SwitchName=s1 Nodes=n1 Nodes=n2\n",
        "SwitchName=s1 Nodes=n1 \\",
        "SwitchName=s1 Nodes=n[1-2\n",
        "NodeName=n1 CPUs=4\n",
        "# nothing\n",
    ],
)
def test_what_is_no_configuration_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        topology_conf.parse(text)


def test_yaml_has_topologies_by_name() -> None:
    tree, blocks, flat, cube = topology_yaml.parse(yaml("healthy.yaml"))
    assert (tree.name, tree.kind, tree.cluster_default) == ("tree1", "tree", True)
    assert tree.switches[0].switches == ("leaf1", "leaf2")
    assert tree.switches[2].nodes == ("n5", "n6", "n7", "n8", "no")
    assert (blocks.block_sizes, blocks.blocks[0].name) == ((4, 8), "1e2")
    assert (flat.kind, flat.cluster_default, cube.kind) == ("flat", None, "torus3d")


def test_yaml_is_pasted_like_anything() -> None:
    text = yaml("healthy.yaml")
    for pasted in (
        f"root@ctl:~# cat topology.yaml\n{text}root@ctl:~# \n",
        f"```yaml\n{text}```\n",
        f"~$ cat it\n{textwrap.indent(text, '    ')}",
        "".join(f"> {line}\n" for line in text.splitlines()),
    ):
        assert topology_yaml.parse(pasted) == topology_yaml.parse(text)
    for dots in ("...\n", "      [...]\n"):
        assert not any(one.complete for one in topology_yaml.parse(text + dots))


@pytest.mark.parametrize(
    "text",
    [
        yaml("empty.yaml"),
        yaml("failed.yaml"),
        yaml("aliases.yaml"),
        yaml("healthy.yaml").replace("topology: nvl", "topology: tree1"),
        yaml("healthy.yaml").replace("switch: leaf1", "switch: core"),
        yaml("healthy.yaml").replace("  flat: true", "  flat: true\n  tree: {}"),
        yaml("healthy.yaml").replace("nodes: n[1-4]", "nodes: n[1-4]\n        nodes: n2"),
        yaml("healthy.yaml").replace("cluster_default: true", "cluster_default: maybe"),
        "[" * 5000,
        "topology: a\nflat: true\n",
        "- a: [\n",
    ],
)
def test_what_is_no_list_of_topologies_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        topology_yaml.parse(text)
