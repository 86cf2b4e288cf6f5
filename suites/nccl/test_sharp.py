"""Switches reduce what they forward, where the inventory says that they can."""

from collections.abc import Mapping

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.sharp import Sharp, plugin


@pytest.mark.load
@pytest.mark.judges("nccl.sharp_plugin")
def test_plugin_for_sharp_is_loaded(
    sharp_tray: str, tray_collectives: Mapping[str, Collective], measure: Measure
) -> None:
    """NCCL finds a plugin that can reduce in switches on the tray."""
    run = tray_collectives[sharp_tray]
    measure("nccl.sharp_plugin", plugin(run.log()), at=sharp_tray, evidence=run.evidence)


@pytest.mark.load
@pytest.mark.judges("nccl.collnet_channels")
def test_collectives_reduce_in_switches(sharp_domain: str, sharp: Sharp, measure: Measure) -> None:
    """all_reduce over the domain uses the switches when it may, and does not quietly fall back."""
    measure("nccl.collnet_channels", sharp.channels, at=sharp_domain, evidence=sharp.evidence)
