"""No port receives more wrong bits than its peers, however well they are corrected."""

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.measure import MeasureAll
from fixtures.tools.binding import bit_errors
from fixtures.tools.binding.facts import Facts


@pytest.mark.judges("ber.raw_over_peers")
def test_ports_receive_as_well_as_their_peers(
    domain: str, inventory: Inventory, all_facts: Facts, measure_all: MeasureAll
) -> None:
    """The raw bit error ratio of each port is near the median of all."""
    measure_all("ber.raw_over_peers", bit_errors.decades(inventory, all_facts))
