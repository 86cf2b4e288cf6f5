"""Programs can be started on every tray from the head host."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.collectives.launcher import Launched


@pytest.mark.load
@pytest.mark.judges("launch.hosts")
def test_mpirun_reaches_every_tray(domain: str, launched: Launched, measure: Measure) -> None:
    """`mpirun hostname`, over all trays, prints every tray's name."""
    measure(
        "launch.hosts", launched.state, at=domain, detail=launched.missing,
        evidence=launched.evidence,
    )  # fmt: skip
