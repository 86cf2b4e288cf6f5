"""The kernel has logged no NVLink error that the catalogue does not say to ignore."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("nvlink.xid_144_150_count")
def test_kernel_logs_no_nvlink_error(
    facts: TrayFacts, kernel: KernelFacts, measure: Measure
) -> None:
    """No GPU of the tray has had an NVLink Xid since the boot, but those without consequence."""
    seen = facts.evidence("kernel-log")
    for slot in facts.host.gpus:
        found = kernel.nvlink(slot.part)
        measure(
            "nvlink.xid_144_150_count", found.count, at=slot.part, detail=found.detail,
            evidence=seen,
        )  # fmt: skip
