"""Every tray is the one that was bought, and runs what is allowed."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.facts import Facts


@pytest.mark.judges("identity.host_serial")
def test_tray_serials_are_as_bought(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each tray reports the serial that the inventory lists for it."""
    measure_all("identity.host_serial", all_facts.trays(lambda facts: facts.dmi.product_serial))


@pytest.mark.judges("identity.kernel")
def test_kernels_are_allowed(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each tray runs an allowed kernel; without a list, the one that most run."""
    measure_all("identity.kernel", all_facts.trays(lambda facts: facts.kernel))


@pytest.mark.judges("identity.driver")
def test_drivers_are_allowed(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each tray has an allowed NVIDIA driver loaded."""
    measure_all("identity.driver", all_facts.gpu_trays(lambda facts: facts.driver))
