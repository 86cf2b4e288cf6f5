"""Every NVLink of every GPU is up at the profile's rate."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("nvlink.links_active", "nvlink.inactive_links", "nvlink.link_rate")
def test_gpus_train_all_links(facts: TrayFacts, measure: Measure) -> None:
    """All NVLinks of the tray's GPUs are active at the rated speed."""
    seen = facts.evidence("nvlink-s")
    for slot in facts.present:
        links = facts.link_summary(slot)
        measure("nvlink.links_active", links.active, at=slot.part, evidence=seen)
        measure("nvlink.inactive_links", links.inactive, at=slot.part, evidence=seen)
        measure("nvlink.link_rate", links.slowest_gbytes, at=slot.part, evidence=seen)
        for part in links.down:
            measure("nvlink.inactive_links", 1, at=part, evidence=seen)
        for part, rate in links.slow.items():
            measure("nvlink.link_rate", rate, at=part, evidence=seen)
