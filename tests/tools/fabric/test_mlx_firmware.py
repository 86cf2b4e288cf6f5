"""`flint` and `mlxfwmanager`: what firmware a device has, and what it could have."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import flint, mlxfwmanager
from tests.tools.captures import capture, ended

FLINT = capture("flint", "healthy.txt")
MANAGER = capture("mlxfwmanager", "healthy.txt")


def test_firmware_of_a_device_is_read() -> None:
    found = flint.read(ended(FLINT))
    assert (found.fw_version, found.psid, found.image_type) == (
        *("28.42.1000", "MT_0000000838", "FS4"),
    )
    assert (found.base_guid, found.base_guid_count) == ("a088c20300aa0b10", 4)
    assert (found.security_attributes, found.complete) == (("secure-fw",), True)
    assert found.reset_due is False


def test_rom_info_goes_on_in_further_lines() -> None:
    roms = flint.parse(FLINT).roms
    assert [(rom.type, rom.version) for rom in roms] == [
        ("UEFI_Virtio_net", "21.4.13"),
        ("UEFI", "14.35.15"),
        ("PXE", "3.7.400"),
    ]
    assert roms[0].cpus == ("AMD64", "AARCH64")


def test_full_query_of_an_oem_device_that_waits_for_a_reset() -> None:
    found = flint.parse(capture("flint", "degraded.txt"))
    assert (found.fw_version, found.running_fw_version) == ("28.43.2026", "28.42.1000")
    assert (found.reset_due, found.roms, found.base_guid) == (True, (), None)
    assert (found.psid, found.orig_psid) == ("DEL0000000036", "MT_0000000838")
    assert found.description == "Some adapter card; 400GbE: one port"
    assert (found.security_attributes, found.secure_boot) == (("secure-fw", "dev"), "Enabled")


def test_old_devices_print_a_table_of_guids() -> None:
    found = flint.parse(capture("flint", "old.txt"))
    assert found.guids[1] == "0002c903004a7711"
    assert found.macs == ("0002c94a7711", "0002c94a7712")
    assert (found.image_vsd, found.complete) == (None, True)


def test_flint_that_fails_says_why() -> None:
    with pytest.raises(ToolFailed, match="Cannot open Device"):
        flint.read(ended(capture("flint", "failed.txt"), rc=1))
    with pytest.raises(ToolFailed, match="Something else"):
        flint.parse("-E- Something else went wrong\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        FLINT * 2,
        FLINT.replace("PSID:                  MT_", "PSID:                  ?"),
        FLINT.replace("28.42.1000", "newest"),
        FLINT.replace("a088c20300aa0b10        4", "a088"),
        "Image type:            FS4\n",
    ],
)
def test_flint_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        flint.parse(text)


def test_a_report_cut_before_its_end_is_not_complete() -> None:
    found = flint.parse(FLINT.split("Security Attributes")[0])
    assert (found.psid, found.complete) == ("MT_0000000838", False)


def test_devices_versions_and_status_are_read() -> None:
    first, second = mlxfwmanager.read(ended(MANAGER))
    assert (first.number, first.psid, first.status) == (1, "MT_0000000838", "Up to date")
    assert [(v.component, v.current, v.available) for v in second.versions] == [
        ("FW", "28.42.1000", "28.42.1000"),
        ("PXE", "3.7.0400", None),
        ("UEFI", "14.35.0015", None),
    ]
    assert second.current() == "28.42.1000"
    assert second.addresses == {"Base GUID": "a088c20300aa0b12", "Base MAC": "a088c2aa0b12"}


def test_devices_that_need_an_update_or_have_no_image_say_so() -> None:
    first, second = mlxfwmanager.parse(capture("mlxfwmanager", "degraded.txt"))
    assert (first.status, first.versions[0].available) == ("Update required", "28.43.2026")
    assert (second.status, second.versions[0].available) == ("No matching image found", None)


def test_xml_is_read_as_the_text_is() -> None:
    [device] = mlxfwmanager.parse(capture("mlxfwmanager", "healthy.xml"))
    assert (device.number, device.psid, device.current("PXE")) == (
        *(None, "MT_0000000838", "3.7.0400"),
    )
    assert device.addresses["Port2 GUID"] == "a088c20300aa0b11"
    assert device.status == "No matching image found"


def test_running_firmware_has_a_row_of_its_own() -> None:
    row = "     FW (Running)   28.41.1000     N/A           \n     PXE "
    device = mlxfwmanager.parse(MANAGER.replace("     PXE ", row, 1))[0]
    assert device.current("FW (Running)") == "28.41.1000"


def test_mlxfwmanager_that_fails_says_why() -> None:
    with pytest.raises(ToolFailed, match="No devices found"):
        mlxfwmanager.read(ended(capture("mlxfwmanager", "failed.txt"), rc=1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        MANAGER * 2,
        MANAGER[: MANAGER.rindex("Up to date") + 5] + "\n",
        MANAGER.replace("Current        Available", "Available"),
        MANAGER.replace("a088c2aa0b11", "none"),
        "<Devices><Device></Devices>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><Devices>&a;</Devices>",
        "<Others/>",
    ],
)
def test_mlxfwmanager_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        mlxfwmanager.parse(text)


def test_types_of_roms_may_have_blanks_and_be_unknown() -> None:
    roms = flint.parse(capture("flint", "dpu.txt")).roms
    assert [(rom.type, rom.version, rom.cpus) for rom in roms] == [
        ("UEFI Virtio net", "21.4.14", ("AMD64", "AARCH64")),
        ("UEFI Virtio blk", "22.4.14", ("AMD64", "AARCH64")),
        ("PXE", None, ()),
    ]


def test_what_an_installer_says_before_the_query_is_its_own() -> None:
    text = f"Setting up some-updater (5.6) ...\nInitializing...\n{MANAGER}"
    assert mlxfwmanager.parse(text) == mlxfwmanager.parse(MANAGER)
