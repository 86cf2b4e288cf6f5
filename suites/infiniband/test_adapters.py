"""Every NIC is plugged in at full width, and set up as its neighbours are."""

import pytest

from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.nic_setups import NicSetups
from fixtures.tools.binding.virtual_functions import Functions


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
def test_virtual_functions_are_up(virtual_nic: str, all_facts: Facts, measure: Measure) -> None:
    """The NIC has the virtual functions that it should, each with a GUID, a link and a LID."""
    found = Functions(all_facts, virtual_nic)
    measure("nic.vfs", found.count, at=virtual_nic, evidence=found.evidence)
    measure("nic.vf_guids", found.guids, at=virtual_nic, evidence=found.evidence)
    measure("nic.vf_ports", found.ports, at=virtual_nic, evidence=found.evidence)


@pytest.mark.judges("nic.write_ordering")
def test_nics_write_in_order(domain: str, nic_setups: NicSetups, measure_all: MeasureAll) -> None:
    """No NIC reorders its writes to memory unless the program allows it."""
    measure_all("nic.write_ordering", nic_setups.write_orderings())
