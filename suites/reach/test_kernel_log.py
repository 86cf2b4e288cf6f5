"""The kernel has logged nothing that hangs."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("reach.hung_tasks")
def test_no_task_hangs_in_the_kernel(
    facts: TrayFacts, kernel: KernelFacts, measure: Measure
) -> None:
    """No task of the tray has been in uninterruptible sleep for minutes since the boot."""
    found, seen = kernel.hung, facts.evidence("kernel-log")
    measure("reach.hung_tasks", found.count, at=facts.host.name, detail=found.detail, evidence=seen)
