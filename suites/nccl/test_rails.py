"""Collectives run over every NIC by itself: no other NIC makes up for one that does not work."""

import pytest

from fixtures.model.inventory import Host
from fixtures.model.measure import Measure
from fixtures.tools.collectives.rails import Carried


@pytest.mark.load
@pytest.mark.judges("nccl.rail_completed")
def test_collectives_run_over_every_nic(
    tray: Host, carried: dict[str, Carried], measure: Measure
) -> None:
    """all_reduce ends over each NIC of the tray and those of its rail, and over no other way."""
    for part, one in carried.items():
        measure("nccl.rail_completed", one.completed, at=part, detail=one.detail,
                evidence=one.evidence)  # fmt: skip
