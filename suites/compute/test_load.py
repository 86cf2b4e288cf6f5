"""Every GPU bears a load: nothing holds it back, it stays cool, and its memory makes no errors."""

import pytest

from fixtures.gpus import GpuLoad
from fixtures.model.measure import Measure
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.load
@pytest.mark.judges(
    "gpu.power_brake_loaded",
    "gpu.capped_power",
    "gpu.power_limit_loaded",
    "gpu.sm_clock_loaded",
)
def test_gpus_have_their_power_and_clock(
    facts: TrayFacts, gpu_load: GpuLoad, measure: Measure
) -> None:
    """While data is copied, each GPU has the power that it may draw and reaches its clock."""
    seen = gpu_load.evidence("samples")
    for slot in facts.present:
        watched, default = gpu_load.watched(slot.pci), slot.device.power_limit_default_w
        measure("gpu.power_brake_loaded", watched.braked_pct, at=slot.part, evidence=seen)
        measure("gpu.capped_power", watched.capped_power_pct, at=slot.part, evidence=seen)
        measure("gpu.power_limit_loaded", watched.limit_w, at=slot.part, otherwise=default,
                evidence=seen)  # fmt: skip
        measure("gpu.sm_clock_loaded", watched.clock_pct, at=slot.part, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("gpu.thermal_margin_loaded", "gpu.throttle_hw_thermal_events")
def test_gpus_stay_cool(facts: TrayFacts, gpu_load: GpuLoad, measure: Measure) -> None:
    """While data is copied, no GPU comes to the temperature at which it is slowed."""
    seen = gpu_load.evidence("samples")
    for slot in facts.present:
        watched = gpu_load.watched(slot.pci)
        measure("gpu.thermal_margin_loaded", watched.margin_c, at=slot.part, evidence=seen)
        measure("gpu.throttle_hw_thermal_events", watched.heat_spells, at=slot.part, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("gpu.ecc_correctable_delta", "gpu.ecc_uncorrectable_delta")
def test_memory_makes_no_errors(facts: TrayFacts, gpu_load: GpuLoad, measure: Measure) -> None:
    """While data is copied, the memory of no GPU makes errors."""
    seen = gpu_load.evidence("samples")
    for slot in facts.present:
        watched = gpu_load.watched(slot.pci)
        measure("gpu.ecc_correctable_delta", watched.corrected, at=slot.part, evidence=seen)
        measure("gpu.ecc_uncorrectable_delta", watched.uncorrected, at=slot.part, evidence=seen)
