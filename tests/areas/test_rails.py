"""A rail whose collective breaks is narrowed to the NIC that ends none with its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fixtures.model.errors import Blocked, RackError
from fixtures.model.inventory import Nic
from fixtures.model.parts import host_of
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.tray_facts import TrayFacts
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.rails import Group, Members, Rails
from tests.areas.answers import answer, shipped
from tests.simrack import probes
from tests.simrack.bench import bench
from tests.tools.captures import capture

GOOD = answer(capture("nccl-tests", "healthy.txt"))
BROKEN = answer(capture("nccl-tests", "failed.txt"), rc=3)
INVENTORY = shipped("hgx8")
NICS = [host.nics[3] for host in INVENTORY.trays]
NAMES = {nic.part: "mlx5_3" for nic in NICS}


class Fixed(Members):
    """Members of one rail, as if those given could be asked, and the others not for this reason."""

    def __init__(self, nics: Sequence[Nic], why: RackError | None = None) -> None:
        self.unasked = {nic.part: why for nic in NICS if why and nic not in nics}
        self.groups = [Group(rail=3, nics=tuple(nics), devices=NAMES)]


def judged(*bad: str, over_all: bool = False, nics: Sequence[Nic] = NICS) -> dict[str, object]:
    """What is said of each host's NIC, where those of some hosts break what they are in."""

    def run(groups: Sequence[Group]) -> list[Collective]:
        broken = [
            bool({host_of(nic.part) for nic in one.nics} & {*bad})
            or (over_all and len(one.nics) > 2)
            for one in groups
        ]
        return [Collective({"run": BROKEN if one else GOOD}, 8, [1]) for one in broken]

    found = Rails(Fixed(nics), run).carried
    return {host_of(part): one.completed for part, one in found.items()}


def test_a_rail_that_works_is_run_once() -> None:
    calls: list[int] = []

    def run(groups: Sequence[Group]) -> list[Collective]:
        calls.append(len(groups))
        return [Collective({"run": GOOD}, 8, [1]) for _ in groups]

    assert all(one.completed is True for one in Rails(Fixed(NICS), run).carried.values())
    assert calls == [1, 0]


def test_the_nic_that_ends_nothing_is_named_and_its_neighbours_are_not() -> None:
    found = judged("hgx05")
    assert [host for host, completed in found.items() if completed is not True] == ["hgx05"]
    assert found["hgx05"] is False


def test_two_bad_nics_are_both_named() -> None:
    found = judged("hgx02", "hgx06")
    assert [host for host, completed in found.items() if completed is False] == ["hgx02", "hgx06"]


def test_a_rail_that_breaks_only_as_a_whole_is_bad_as_a_whole() -> None:
    assert set(judged(over_all=True).values()) == {False}


def test_of_two_nics_nobody_can_tell_which() -> None:
    assert set(judged("hgx01", nics=NICS[:2]).values()) == {False}


def test_what_could_not_be_asked_is_not_good() -> None:
    members = Fixed(NICS[1:], Blocked("port.state", NICS[0].port, "DOWN"))
    rails = Rails(members, lambda groups: [Collective({"run": GOOD}, 7, [1]) for _ in groups])
    assert isinstance(rails.carried[NICS[0].part].completed, Blocked)


def test_a_launch_that_failed_says_nothing_of_the_nics() -> None:
    rails = Rails(
        Fixed(NICS),
        lambda groups: [Collective({"run": answer("", rc=1)}, 8, [1]) for _ in groups],
    )
    assert all(isinstance(one.completed, RackError) for one in rails.carried.values())


def test_a_nic_of_another_name_is_asked_by_that() -> None:
    names = {**NAMES, NICS[2].part: "mlx5_8"}
    group = replace(Fixed(NICS).groups[0], devices=names)
    assert group.plan.own["hgx03"] == ("NCCL_IB_HCA", "=mlx5_8:1")
    assert group.plan.own["hgx04"] == ("NCCL_IB_HCA", "=mlx5_3:1")
    assert group.plan.env["NCCL_MNNVL_ENABLE"] == "0"


def test_a_nic_whose_port_is_down_is_left_out_and_blocked() -> None:
    rack = bench("hgx8", f"port.down@{NICS[1].port}")

    class Asked(Facts):
        def __init__(self) -> None: ...

        def of(self, host: str) -> TrayFacts:
            return probes.facts(rack, host)

    members = Members(INVENTORY, Asked(), {})
    rail = next(group for group in members.groups if group.rail == 3)
    assert rail.nics == (NICS[0], *NICS[2:])
    assert list(members.unasked) == [NICS[1].part]
    assert members.unasked[NICS[1].part].why == f"blocked-by:port.state@{NICS[1].port}"
