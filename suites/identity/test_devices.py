"""Every GPU and NIC is the one that was bought, with allowed firmware."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.placement import slot_number


@pytest.mark.judges("identity.gpu_serial")
def test_gpu_serials_are_as_bought(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each GPU reports the serial that the inventory lists for its slot."""
    measure_all("identity.gpu_serial", all_facts.gpus(lambda slot: slot.device.serial))


@pytest.mark.judges("identity.slot")
def test_trays_are_where_they_were_put(
    domain: str, all_facts: Facts, measure_all: MeasureAll
) -> None:
    """The GPUs of each tray name the slot that the inventory lists for it."""
    measure_all("identity.slot", all_facts.slotted_trays(slot_number))


@pytest.mark.judges("identity.vbios")
def test_vbios_is_allowed(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each GPU has an allowed VBIOS."""
    measure_all("identity.vbios", all_facts.gpus(lambda slot: slot.device.vbios))


@pytest.mark.judges("identity.port_guid")
def test_nic_guids_are_as_bought(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each NIC slot holds the NIC whose port GUID the inventory lists."""
    measure_all("identity.port_guid", all_facts.nics(lambda slot: slot.guid))


@pytest.mark.judges("identity.nic_firmware", "identity.nic_psid")
def test_nic_firmware_is_allowed(domain: str, all_facts: Facts, measure_all: MeasureAll) -> None:
    """Each NIC runs allowed firmware, made for its kind of board."""
    measure_all("identity.nic_firmware", all_facts.nics(lambda slot: slot.fitted.fw_ver))
    measure_all("identity.nic_psid", all_facts.nics(lambda slot: slot.fitted.board_id))
