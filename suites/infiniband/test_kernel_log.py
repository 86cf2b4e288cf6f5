"""The kernel has logged no fault of a NIC."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("nic.driver_faults")
def test_drivers_complain_of_no_nic(
    facts: TrayFacts, kernel: KernelFacts, measure: Measure
) -> None:
    """Every NIC of the tray has come up and has stayed well since the boot."""
    found, seen = kernel.nic_faults, facts.evidence("kernel-log")
    measure(
        "nic.driver_faults", found.count, at=facts.host.name, detail=found.detail, evidence=seen
    )
