"""Every tray runs the services of its product, in the version of its driver."""

import pytest

from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.host_setup import HostSetup


@pytest.mark.judges("identity.fabric_manager")
def test_fabric_manager_runs(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each tray that has its own NVSwitches runs the fabric manager."""
    found = all_facts.gpu_trays(lambda facts: HostSetup(facts).fabric_manager)
    measure_all("identity.fabric_manager", found)


@pytest.mark.judges("identity.fabric_manager_version")
def test_fabric_manager_fits_the_driver(setup: HostSetup, measure: Measure) -> None:
    """The fabric manager is of the very version of the driver that is loaded."""
    pair = setup.fabric_manager_version
    measure(
        "identity.fabric_manager_version", pair.equal, at=setup.part, detail=pair.detail,
        evidence=setup.evidence("fabric-manager-version", "nvidia-version"),
    )  # fmt: skip


@pytest.mark.judges("identity.imex_service")
def test_imex_runs_as_the_site_wants(
    domain: str, all_facts: Facts, measure_all: MeasureAll
) -> None:
    """Each tray runs IMEX now and after the next boot, or does not, as the inventory says."""
    measure_all("identity.imex_service", all_facts.gpu_trays(lambda facts: HostSetup(facts).imex))
