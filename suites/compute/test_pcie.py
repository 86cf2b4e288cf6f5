"""Every GPU has its full PCIe link."""

import pytest

from fixtures.gpus import GpuLoad
from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.nic_setups import NicSetups
from fixtures.tools.binding.placement import lacking_lanes
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("gpu.pcie_width")
def test_pcie_links_are_wide(facts: TrayFacts, measure: Measure) -> None:
    """Each GPU's PCIe link has all its lanes, at idle too."""
    seen = facts.evidence("pci-gpu")
    for slot in facts.present:
        measure("gpu.pcie_width", facts.pcie_width(slot), at=slot.part, evidence=seen)


@pytest.mark.judges("gpu.pcie_path_lacking")
def test_switches_above_gpus_are_wide(facts: TrayFacts, measure: Measure) -> None:
    """The links of the PCIe switches above each GPU have all lanes that they can have."""
    seen = facts.evidence("pci-path")
    for part, lanes in lacking_lanes(facts, facts.present).items():
        measure("gpu.pcie_path_lacking", lanes, at=part, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("gpu.h2d_bandwidth")
def test_hosts_copy_to_gpus_at_full_rate(
    facts: TrayFacts, gpu_load: GpuLoad, measure: Measure
) -> None:
    """Copies from the host to each GPU reach the bandwidth of its link."""
    seen, gbytes = gpu_load.evidence("h2d"), gpu_load.host_to_device()
    for slot in facts.present:
        measure("gpu.h2d_bandwidth", gbytes.get(slot.pci), at=slot.part, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("gpu.pcie_gen_loaded")
def test_pcie_links_are_fast_under_load(
    facts: TrayFacts, gpu_load: GpuLoad, measure: Measure
) -> None:
    """Each GPU's PCIe link trains up to its generation while data is copied to it."""
    for slot in facts.present:
        best = gpu_load.watched(slot.pci).generation
        seen = gpu_load.evidence("h2d", "samples")
        measure("gpu.pcie_gen_loaded", best, at=slot.part, evidence=seen)


@pytest.mark.judges("gpu.rail_nic_path")
def test_gpus_are_near_the_nic_of_their_rail(
    domain: str, nic_setups: NicSetups, measure_all: MeasureAll
) -> None:
    """Between each GPU and the NIC of its rail lie PCIe bridges alone, where the product says."""
    measure_all("gpu.rail_nic_path", nic_setups.rail_paths())
