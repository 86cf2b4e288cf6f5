"""Virtual functions are judged where their NIC is well, and say nothing where it is not."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Blocked
from fixtures.tools.binding import virtual_functions
from fixtures.tools.binding.slots import PortSlot
from fixtures.tools.binding.tray_facts import TrayFacts
from tests.simrack import probes
from tests.simrack.bench import bench

HOST = "hgx02"


def asked(*faults: str) -> tuple[TrayFacts, PortSlot]:
    """The facts of a host whose first NIC has two functions, and that NIC's slot."""
    facts = probes.facts(bench("hgx8", *faults), HOST)
    return facts, facts.ports[0]


def test_functions_are_found_by_their_card() -> None:
    facts, slot = asked()
    assert len(virtual_functions.of(facts, slot)) == slot.nic.vfs == 2
    assert virtual_functions.of(facts, facts.ports[1]) == []
    assert virtual_functions.count(facts, slot) == "declared"
    assert virtual_functions.guid_state(facts, slot) == "valid"
    assert virtual_functions.port_state(facts, slot) == "active"


@pytest.mark.parametrize(
    ("fault", "blocked_by"), [("port.down", "port.state"), ("port.initializing", "port.")]
)
def test_ports_of_functions_wait_for_that_of_their_card(fault: str, blocked_by: str) -> None:
    with pytest.raises(Blocked) as why:
        virtual_functions.port_state(*asked(f"{fault}@{HOST}/mlx5_0/1"))
    assert why.value.why.startswith(f"blocked-by:{blocked_by}")


def test_functions_of_a_missing_card_are_not_counted_as_none() -> None:
    with pytest.raises(Blocked, match="no RDMA device"):
        virtual_functions.count(*asked(f"nic.missing@{HOST}/mlx5_0/1"))
