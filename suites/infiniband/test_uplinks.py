"""No link of the fabric is damaged while data passes the spines."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.subnet_window import SubnetWindow


@pytest.mark.load
@pytest.mark.judges("link.errors_delta")
def test_links_carry_load_without_errors(
    domain: str, link_window: SubnetWindow, measure_all: MeasureAll
) -> None:
    """Neither end of any link, switch side too, counts an error while leaves send to each other."""
    errors = link_window.errors()
    seen = dict.fromkeys(errors, link_window.evidence)
    measure_all("link.errors_delta", errors, evidence=seen)
