"""The fabric manager has run since the driver was loaded."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.host_setup import HostSetup


@pytest.mark.judges("fabric.manager_start_delay")
def test_fabric_manager_started_with_the_driver(setup: HostSetup, measure: Measure) -> None:
    """Nobody has started the fabric manager anew since, under GPUs that were not reset."""
    delay, seen = setup.fabric_manager_delay_s, setup.evidence("services", "kernel-log")
    measure("fabric.manager_start_delay", delay, at=setup.part, evidence=seen)
