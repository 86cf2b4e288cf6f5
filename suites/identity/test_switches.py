"""Every switch tray is the one that was bought, and runs what is allowed."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.switch_facts import SwitchTrays


@pytest.mark.judges("identity.switch_serial")
def test_switch_serials_are_as_bought(
    domain: str, switch_trays: SwitchTrays, measure_all: MeasureAll
) -> None:
    """Each switch tray reports the serial that the inventory lists for it."""
    measure_all("identity.switch_serial", switch_trays.each(lambda facts: facts.serial))


@pytest.mark.judges("identity.nvos", "identity.switch_chip_firmware")
def test_switch_software_is_allowed(
    domain: str, switch_trays: SwitchTrays, measure_all: MeasureAll
) -> None:
    """Each switch tray runs an allowed NVOS, and its chips an allowed firmware."""
    measure_all("identity.nvos", switch_trays.each(lambda facts: facts.image))
    measure_all("identity.switch_chip_firmware", switch_trays.each(lambda f: f.chip_firmware))
