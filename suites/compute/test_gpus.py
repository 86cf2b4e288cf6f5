"""Every slot holds a healthy GPU of the product."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("gpu.bound", "gpu.responsive")
def test_slots_hold_answering_gpus(facts: TrayFacts, measure: Measure) -> None:
    """Each GPU slot of the tray has a GPU at its address, and the GPU answers its driver."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.gpus:
        measure("gpu.bound", slot.bound, at=slot.part, detail=slot.detail, evidence=seen)
        measure("gpu.responsive", slot.responsive, at=slot.part, evidence=seen)


@pytest.mark.judges("gpu.foreign_processes")
def test_gpus_are_free(facts: TrayFacts, measure: Measure) -> None:
    """Nobody else computes on any GPU of the tray."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.present:
        measure("gpu.foreign_processes", slot.foreign_processes, at=slot.part, evidence=seen)


@pytest.mark.judges("gpu.product", "gpu.power_limit")
def test_gpus_are_the_product(facts: TrayFacts, measure: Measure) -> None:
    """Each GPU is of the bought model and has the power limit that the site sets."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.present:
        gpu, default = slot.device, slot.device.power_limit_default_w
        measure("gpu.product", gpu.product, at=slot.part, evidence=seen)
        measure(
            "gpu.power_limit", gpu.power_limit_w, at=slot.part, otherwise=default, evidence=seen
        )


@pytest.mark.judges("gpu.power_brake")
def test_nothing_brakes_idle_gpus(facts: TrayFacts, measure: Measure) -> None:
    """The hardware does not brake the power of any GPU."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.present:
        measure("gpu.power_brake", slot.power_brake, at=slot.part, evidence=seen)


@pytest.mark.judges(
    "gpu.ecc_uncorrectable_volatile",
    "gpu.ecc_sram_uncorrectable_aggregate",
    "gpu.row_remap_correctable",
    "gpu.row_remap_uncorrectable",
    "gpu.row_remap_pending",
    "gpu.row_remap_failure",
)
def test_memory_is_clean(facts: TrayFacts, measure: Measure) -> None:
    """No GPU has uncorrectable errors, and no row waits to be remapped or could not be."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.present:
        rows, errors = slot.device.remapped, slot.device.ecc_volatile.uncorrectable
        ever = slot.device.ecc_aggregate.sram_uncorrectable
        measure("gpu.ecc_uncorrectable_volatile", errors, at=slot.part, evidence=seen)
        measure("gpu.ecc_sram_uncorrectable_aggregate", ever, at=slot.part, evidence=seen)
        measure("gpu.row_remap_correctable", rows.correctable, at=slot.part, evidence=seen)
        measure("gpu.row_remap_uncorrectable", rows.uncorrectable, at=slot.part, evidence=seen)
        measure("gpu.row_remap_pending", slot.remap_pending, at=slot.part, evidence=seen)
        measure("gpu.row_remap_failure", slot.remap_failure, at=slot.part, evidence=seen)
