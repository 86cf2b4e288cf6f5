"""The kernel has logged no error of a GPU that asks for more than a new start of the program."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("gpu.xid_fatal_count")
def test_kernel_logs_no_fatal_gpu_error(
    facts: TrayFacts, kernel: KernelFacts, measure: Measure
) -> None:
    """No GPU of the tray has had a fatal Xid since the boot."""
    seen = facts.evidence("kernel-log")
    for slot in facts.host.gpus:
        found = kernel.fatal(slot.part)
        measure(
            "gpu.xid_fatal_count", found.count, at=slot.part, detail=found.detail, evidence=seen
        )
