"""Every trunk that the plan has between two racks is up, fast, and stays so."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.trunks import Trunks


@pytest.mark.load
@pytest.mark.judges(
    "nvlink.planned_trunks_up_pct",
    "nvlink.trunk_rate",
    "nvlink.trunk_effective_ber",
    "nvlink.trunk_link_downed_delta",
)
def test_trunks_are_up_and_clean(rack_trunks: Trunks, measure: Measure) -> None:
    """All planned trunks of the rack are up at full rate, without errors, also under load."""
    for part, share in rack_trunks.up_pct().items():
        measure("nvlink.planned_trunks_up_pct", share, at=part)
    for part, rate in rack_trunks.rates_gbps().items():
        measure("nvlink.trunk_rate", rate, at=part)
    for part, ratio in rack_trunks.error_ratios().items():
        measure("nvlink.trunk_effective_ber", ratio, at=part)
    for part, count in rack_trunks.downed().items():
        measure("nvlink.trunk_link_downed_delta", count, at=part)
