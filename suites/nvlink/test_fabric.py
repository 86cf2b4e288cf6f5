"""Every GPU is registered in the NVLink domain that was bought."""

from collections.abc import Mapping, Sequence

import pytest

from fixtures.model.measure import Measure, MeasureAll, Reading
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("fabric.state", "fabric.status", "fabric.health")
def test_gpus_are_registered(facts: TrayFacts, measure: Measure) -> None:
    """Each GPU's registration is completed, successful and healthy in every field."""
    seen = facts.evidence("nvidia-smi-q")
    for slot in facts.present:
        measure("fabric.state", slot.fabric.state, at=slot.part, evidence=seen)
        measure("fabric.status", slot.fabric.status, at=slot.part, evidence=seen)
        measure("fabric.health", slot.fabric_health, at=slot.part, evidence=seen)


@pytest.mark.judges("fabric.partition")
def test_gpus_share_the_bought_domain(
    domain: str, fabric_domains: Sequence[Mapping[str, Reading]], measure_all: MeasureAll
) -> None:
    """Each GPU has the cluster UUID and clique of its partition; zeros where it is in none."""
    for partition in fabric_domains:
        measure_all("fabric.partition", partition)
