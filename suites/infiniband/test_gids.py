"""RoCE ports have the address that the site uses at one index everywhere, and keep it."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.nic_setups import NicSetups
from fixtures.tools.rdma.loaded_ports import LoadedPorts


@pytest.mark.judges("port.gid")
def test_gid_index_is_routable(domain: str, nic_setups: NicSetups, measure_all: MeasureAll) -> None:
    """Each RoCE port has a routable GID of version 2 at the inventory's index."""
    measure_all("port.gid", nic_setups.gid_states())


@pytest.mark.load
@pytest.mark.judges("port.gid_kept")
def test_gids_stay_under_load(
    domain: str, nic_setups: NicSetups, loaded_ports: LoadedPorts, measure_all: MeasureAll
) -> None:
    """Each RoCE port has the same GID after its transfers as before."""
    measure_all("port.gid_kept", loaded_ports.gids_kept(nic_setups.gid_states()))
