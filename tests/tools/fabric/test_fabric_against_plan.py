"""From what ibnetdiscover prints to the cables that are not as planned, on a made-up fabric."""

from __future__ import annotations

import pytest

from benchmarks.fat_tree import Built, FatTree, as_planned, topology_text, with_faults
from fixtures.analysis.cabling import hold
from fixtures.analysis.differences import Comparison, Rate
from fixtures.tools.fabric import ibnetdiscover
from fixtures.tools.fabric.ibnetdiscover_model import Topology

TREES = [FatTree(hcas=200, radix=16), FatTree(hcas=1000, radix=64), FatTree(hcas=333, radix=24)]
NDR = Rate("4X", "NDR")


def compared(built: Built) -> Comparison:
    found = ibnetdiscover.parse(topology_text(built))
    assert isinstance(found, Topology)
    assert found.complete
    return hold(
        built.tree.cables,
        built.tree.guids,
        dict(found.sides()),
        nodes={node.guid for node in found.nodes},
        rates={"host": NDR, "fabric": NDR},
        ignored={node.guid for node in found.aggregation_nodes},
    )


@pytest.mark.parametrize("tree", TREES)
def test_a_fabric_built_as_planned_has_no_differences(tree: FatTree) -> None:
    found = compared(as_planned(tree))
    assert found.differences == ()
    assert found.judged == len(tree.cables)


@pytest.mark.parametrize("tree", TREES)
def test_each_fault_is_named_once_and_nothing_else(tree: FatTree) -> None:
    built, expected = with_faults(tree)
    found = compared(built).differences
    assert {(one.kind.value, one.cables) for one in found} == expected
    assert len(found) == len(expected)
