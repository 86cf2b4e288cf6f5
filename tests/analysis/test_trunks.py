"""What all trunks of a rack show together follows from the trunk, the tray or the rack at fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.analysis.blame import Finding, findings
from fixtures.analysis.signals import Row
from tests.analysis.rack import row, rows
from tests.analysis.site import CABLES, GPUS, SWITCHES, TRAYS, cable_at, site

UP = "nvlink.planned_trunks_up_pct"
TRUNKS = [ends for kind, *ends in CABLES.values() if kind == "trunk"]
TRAY = "r02-sw02"


def blame(*groups: list[Row]) -> list[Finding]:
    return findings([one for group in groups for one in group], site())


def at(owner: str) -> list[list[str]]:
    return [ends for ends in TRUNKS if any(end.startswith(owner) for end in ends)]


def lost(trunks: list[list[str]], *, unread: str = "-") -> list[Row]:
    """The share of every rack, and each end that is down, but for those of what is not read."""
    ends = [end for both in trunks for end in both if not end.startswith(unread)]
    return [
        *rows(UP, TRAYS, {end[:3] for end in ends}),
        *(row(UP, end, "FAIL") for end in ends),
    ]


def test_rack_that_is_cut_off_explains_the_share_of_all_others() -> None:
    (found,) = blame(lost(at("r03")))
    assert (found.part, found.kind) == ("r03", "rack")
    assert found.suspects == SWITCHES["r03"]
    assert len(found.because) == 2 * 6 + 3


def test_rack_that_is_cut_off_explains_the_slow_domain_and_what_its_trunks_do_not_show() -> None:
    (found,) = blame(
        lost(at("r03")),
        [row("nvlink.trunk_rate", "r03", "INCONCLUSIVE", "unreadable")],
        rows("nccl.rack_all_reduce_busbw", list(TRAYS)),
        [row("nccl.all_reduce_ratio", "dom", "FAIL")],
    )
    assert (found.part, found.confidence) == ("r03", "high")
    assert "trunks" in found.action


def test_dead_tray_explains_the_share_of_the_racks_that_its_trunks_lead_to() -> None:
    links = [f"{gpu}/link{n}" for gpu in GPUS if gpu.startswith("r02") for n in (2, 3)]
    (found,) = blame(
        [row("nvlink.inactive_links", link, "FAIL") for link in links],
        lost(at(TRAY), unread="r02"),
        [row("reach.ssh", TRAY, "INCONCLUSIVE", "unreachable")],
        [row("nvlink.trunk_rate", "r02", "INCONCLUSIVE", "unreachable")],
    )
    assert (found.part, found.kind) == (TRAY, "switch")


def test_trunk_that_is_down_explains_the_share_of_both_of_its_racks() -> None:
    both = at("r01")[0]
    (found,) = blame(lost([both]), rows("nccl.rack_all_reduce_busbw", list(TRAYS)),
                     [row("nccl.all_reduce_ratio", "dom", "FAIL")])  # fmt: skip
    assert (found.part, found.confidence) == (cable_at(both[0]), "high")
    assert len(found.because) == 5


def test_two_trunks_are_two_findings() -> None:
    first, second = at("r01")[0], at("r03")[-1]
    found = blame(lost([first, second]))
    assert {one.part for one in found} == {cable_at(first[0]), cable_at(second[0])}


def test_racks_whose_trunks_are_all_between_them_are_both_suspects() -> None:
    between = [ends for ends in TRUNKS if not any(end.startswith("r03") for end in ends)]
    two = {name: cable for name, cable in CABLES.items()
           if cable[0] != "trunk" or list(cable[1:]) in between}  # fmt: skip
    (found,) = findings(lost(between), replace(site(), cables=two))
    assert (found.confidence, {found.part, *found.suspects} >= {"r01", "r02"}) == ("low", True)
    assert "both ends" in found.action


@pytest.mark.parametrize("rack", TRAYS)
def test_share_of_a_rack_without_a_trunk_that_shows_it_names_the_rack(rack: str) -> None:
    (found,) = blame(rows(UP, TRAYS, [rack]))
    assert found.part == rack
