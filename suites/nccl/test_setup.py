"""NCCL is set up on every tray as it was bought: version, network, NICs, and nothing by chance."""

import pytest

from fixtures.model.inventory import Host
from fixtures.model.measure import Measure
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.setup import Setup


@pytest.mark.load
@pytest.mark.judges("nccl.version", "nccl.network", "nccl.nics", "nccl.stray_settings")
def test_library_uses_what_was_bought(
    tray: Host, tray_collective: Collective, nccl_setup: Setup, measure: Measure
) -> None:
    """NCCL is new enough, finds the InfiniBand network over the tray's own NICs, and has no
    settings that nobody gave it."""
    seen, setup = tray_collective.evidence, nccl_setup
    measure("nccl.version", setup.version_code, at=tray.name, detail=setup.version, evidence=seen)
    measure("nccl.network", setup.network, at=tray.name, evidence=seen)
    measure("nccl.nics", setup.nics, at=tray.name, evidence=seen)
    measure("nccl.stray_settings", setup.stray_settings, at=tray.name, evidence=seen)
