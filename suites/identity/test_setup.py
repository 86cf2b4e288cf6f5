"""Every tray is set up as the others are, with nothing left from before."""

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.host_setup import HostSetup, shares


@pytest.mark.judges("identity.driver_installed")
def test_driver_survives_a_reboot(setup: HostSetup, measure: Measure) -> None:
    """The driver that is installed is the one that is loaded."""
    pair, seen = setup.installed_driver, setup.evidence("modinfo", "nvidia-version")
    measure(
        "identity.driver_installed", pair.equal, at=setup.part, detail=pair.detail, evidence=seen
    )


@pytest.mark.judges("identity.ofed")
def test_ofed_is_allowed(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each tray has an allowed OFED; without a list, the one that most have."""
    measure_all("identity.ofed", all_facts.gpu_trays(lambda facts: HostSetup(facts).ofed))


@pytest.mark.judges("identity.memlock")
def test_programs_may_lock_memory(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """What is started over SSH may lock all memory, as RDMA does."""
    measure_all("identity.memlock", all_facts.gpu_trays(lambda facts: HostSetup(facts).memlock))


@pytest.mark.judges("identity.memory_share", "identity.cma_total")
def test_trays_have_the_same_memory(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """No tray has less memory than the others, or another part of it set aside."""
    memory = all_facts.gpu_trays(lambda facts: HostSetup(facts).memory_bytes)
    measure_all("identity.memory_share", shares(memory))
    measure_all("identity.cma_total", all_facts.gpu_trays(lambda facts: HostSetup(facts).cma_mib))


@pytest.mark.judges("identity.nccl_settings")
def test_nccl_finds_no_settings_of_others(
    domain: str, inventory: Inventory, all_facts: Facts, measure_all: MeasureAll
) -> None:
    """No file and no login's environment sets NCCL otherwise than the inventory does."""
    stated = inventory.launcher.env if inventory.launcher else {}
    found = all_facts.gpu_trays(lambda facts: HostSetup(facts).nccl_settings(stated))
    measure_all("identity.nccl_settings", found)
