"""RoCE ports sort packets alike, and lose none of those that must not be lost."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.nic_setups import NicSetups
from fixtures.tools.rdma.loaded_ports import LoadedPorts


@pytest.mark.load
@pytest.mark.judges("port.trust", "port.pfc")
def test_ports_sort_and_pause_alike(
    domain: str, nic_setups: NicSetups, loaded_ports: LoadedPorts, measure_all: MeasureAll
) -> None:
    """Each RoCE port trusts what the others trust, and pauses for the site's priority."""
    ports = nic_setups.gid_states()
    measure_all("port.trust", loaded_ports.qos(ports, lambda qos: qos.trust))
    measure_all("port.pfc", loaded_ports.qos(ports, lambda qos: qos.pauses))


@pytest.mark.load
@pytest.mark.judges("port.priority")
def test_data_is_sent_where_it_is_lossless(
    domain: str, loaded_ports: LoadedPorts, measure_all: MeasureAll
) -> None:
    """Each RoCE port sends what is marked in a priority that loses nothing."""
    measure_all("port.priority", loaded_ports.in_lossless())
