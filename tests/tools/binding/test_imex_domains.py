"""The IMEX domain against what was bought."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from fixtures.tools.binding.imex_domains import ImexDomains, ensembles
from fixtures.tools.nvlink.imex_domain import Connection, Domain, Node

INVENTORIES = Path(__file__).parents[3] / "inventories"


@pytest.fixture(scope="module")
def rack() -> Inventory:
    return load_inventory("rack7", INVENTORIES)


def domain(addresses: list[str], *, state: str = "UP", numbers: list[int] | None = None) -> Domain:
    own = numbers or list(range(len(addresses)))
    return Domain(
        daemon_state=None, domain_state=state, timestamp=None,
        nodes=tuple(
            Node(index=number, address=address, state="READY", version="580.95.05",
                 host_name=None, is_local=None)
            for number, address in zip(own, addresses, strict=True)
        ),
        connections=tuple(
            Connection(source=a, target=b, state="CONNECTED") for a in own for b in own
        ),
    )  # fmt: skip


def whole(rack: Inventory, **lists: tuple[str, ...] | RackError) -> ImexDomains:
    """A rack in which some trays have a list of their own; the first list's domain was asked."""
    bought = tuple(tray.address for tray in rack.trays)
    own = {tray.name: lists.get(tray.name.replace("-", "_"), bought) for tray in rack.trays}
    return ImexDomains(
        inventory=rack, lists={"domain": own}, answers={"domain": {bought: domain(list(bought))}}
    )


def test_a_domain_as_bought(rack: Inventory) -> None:
    found = whole(rack)
    assert (found.state, found.not_connected, found.versions) == ("UP", 0, 1)
    assert (found.numbers, found.ensembles, found.nodes) == ("complete", 1, 18)
    assert found.list_of("r01-ct09") == "complete"
    assert found.state_of("r01-ct09") == "READY"


def test_a_list_says_which_address_is_strange_and_which_tray_is_missing(rack: Inventory) -> None:
    bought = [tray.address for tray in rack.trays]
    stale = ["10.0.3.41" if one == rack.hosts["r01-ct03"].address else one for one in bought]
    found = whole(rack, r01_ct09=tuple(stale))
    assert found.list_of("r01-ct09") == "lists 10.0.3.41; without r01-ct03"
    assert found.ensembles == 2
    assert [len(trays) for trays in ensembles(found.lists["domain"]).values()] == [17, 1]


def test_a_list_that_cannot_be_read_is_an_error(rack: Inventory) -> None:
    error = RackError("r01-ct09: cannot be reached", reason="unreachable")
    assert whole(rack, r01_ct09=error).list_of("r01-ct09") is error


def test_numbers_have_no_gap_up_to_the_trays_of_the_partition(rack: Inventory) -> None:
    bought = [tray.address for tray in rack.trays]
    left = [one for index, one in enumerate(bought) if index != 5]
    numbers = [number for number in range(18) if number != 5]
    found = ImexDomains(
        inventory=rack,
        lists={"domain": {tray.name: tuple(bought) for tray in rack.trays}},
        answers={"domain": {tuple(bought): domain(left, state="DEGRADED", numbers=numbers)}},
    )
    assert str(found.numbers).startswith("17 nodes: 0, 1, 2, 3, 4, 6")
    assert found.state == "DEGRADED"
    assert found.state_of("r01-ct06") == "not listed"


def test_what_was_not_answered_is_raised(rack: Inventory) -> None:
    found = ImexDomains(inventory=rack, lists={"domain": {}}, answers={"domain": {}})
    with pytest.raises(RackError, match="no tray has a list"):
        _ = found.state
