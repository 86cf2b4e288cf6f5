"""Every NIC is plugged in at full width, and set up as its neighbours are."""

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.measure import MeasureAll
from fixtures.tools.binding import virtual_functions
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.nic_setups import NicSetups


@pytest.mark.judges("nic.pcie_width", "nic.pcie_generation", "nic.pcie_share")
def test_nics_have_their_full_pcie_link(
    domain: str, nic_setups: NicSetups, measure_all: MeasureAll
) -> None:
    """Each NIC's PCIe link has all its lanes and its rate, and so have the bridges above it."""
    links = nic_setups.nics
    measure_all("nic.pcie_width", links(lambda setup, slot: setup.link(slot).card.width))
    measure_all("nic.pcie_generation", links(lambda setup, slot: setup.link(slot).card.generation))
    measure_all("nic.pcie_share", links(lambda setup, slot: setup.link(slot).share))


@pytest.mark.judges("port.active_mtu")
def test_ports_send_packets_of_full_size(
    domain: str, nic_setups: NicSetups, measure_all: MeasureAll
) -> None:
    """Each port has the packet size that all others have."""
    measure_all("port.active_mtu", nic_setups.ports(lambda setup, slot: setup.active_mtu(slot)))


@pytest.mark.judges("port.pkeys")
def test_ports_share_a_partition(
    domain: str, nic_setups: NicSetups, measure_all: MeasureAll
) -> None:
    """Each InfiniBand port is a full member of the partition that the others are in."""
    measure_all("port.pkeys", nic_setups.pkey_states())


@pytest.mark.judges("nic.vfs", "nic.vf_guids", "nic.vf_ports")
def test_virtual_functions_are_up(
    domain: str, inventory: Inventory, all_facts: Facts, measure_all: MeasureAll
) -> None:
    """Each NIC has the virtual functions that it should, each with a GUID, a link and a LID."""
    measure_all("nic.vfs", virtual_functions.counts(inventory, all_facts))
    measure_all("nic.vf_guids", virtual_functions.guids(inventory, all_facts))
    measure_all("nic.vf_ports", virtual_functions.ports(inventory, all_facts))


@pytest.mark.judges("nic.write_ordering")
def test_nics_write_in_order(domain: str, nic_setups: NicSetups, measure_all: MeasureAll) -> None:
    """No NIC reorders its writes to memory unless the program allows it."""
    measure_all("nic.write_ordering", nic_setups.write_orderings())
