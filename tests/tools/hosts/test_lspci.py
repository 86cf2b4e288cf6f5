"""`lspci` in its forms: links, errors, access control, and devices that are gone."""

from __future__ import annotations

import pytest

from fixtures.model.errors import RackError, ToolFailed, Unreadable
from fixtures.tools.hosts import lspci, lspci_fields
from fixtures.tools.hosts.lspci import PciDevice
from tests.tools.captures import capture


def read(name: str) -> tuple[PciDevice, ...]:
    return lspci.parse(capture("lspci", name))


def test_a_port_and_a_gpu_at_full_speed() -> None:
    port, gpu = read("healthy.txt")
    assert (port.pci, port.class_id, port.numa_node) == ("0000:15:01.0", "0604", 0)
    assert (gpu.pci, gpu.class_name, gpu.vendor_id) == ("0000:1b:00.0", "3D controller", "10de")
    assert gpu.name == "NVIDIA Corporation GB100 [HGX X]"
    assert (gpu.device_id, gpu.revision, gpu.driver) == ("2901", "a1", "nvidia")
    assert gpu.link_status == gpu.link_capability
    assert gpu.downgraded is False
    assert (port.slot, gpu.iommu_group) == ("21", 41)


def test_access_control_is_capability_and_control_by_name() -> None:
    port, gpu = read("healthy.txt")
    assert port.acs_capability is not None
    assert port.acs_capability["ReqRedir"]
    assert port.redirects_peers is False
    assert gpu.acs_control is None
    assert gpu.redirects_peers is False, "listed, and has no access control"
    (redirecting, _) = read("degraded.txt")
    assert redirecting.redirects_peers is True


def test_flags_that_a_newer_version_breaks_over_two_lines() -> None:
    port, _ = read("healthy.txt")
    assert port.uncorrectable is not None
    assert port.uncorrectable["UnsupReq"] is False, "the mask's row says +"
    assert "BlockedTLP" in port.uncorrectable


def test_the_payload_is_that_in_force_not_that_possible() -> None:
    port, gpu = read("healthy.txt")
    assert (port.max_payload_bytes, port.max_read_request_bytes) == (256, 128)
    assert gpu.max_payload_bytes is None


def test_a_downgraded_link_and_its_errors() -> None:
    gpu, nic = read("degraded.txt")
    assert gpu.link_status is not None
    assert (gpu.link_status.speed_gts, gpu.link_status.width) == (2.5, 8)
    assert gpu.downgraded is True
    assert gpu.correctable is not None
    assert [name for name, on in gpu.correctable.items() if on] == [
        "RxErr",
        "BadTLP",
        "AdvNonFatalErr",
    ]
    assert nic.link_status is not None
    assert (nic.link_status.speed_gts, nic.link_status.width) == (None, None)
    assert nic.downgraded is None


@pytest.mark.parametrize(
    ("status", "downgraded"),
    [
        ("Speed 16GT/s, Width x16", True),
        ("Speed 16GT/s (downgraded), Width x16 (ok)", True),
        ("Speed 32GT/s (ok), Width x8 (downgraded)", True),
        ("Speed 32GT/s (ok), Width x16 (ok)", False),
        ("Speed 32GT/s, Width x16, TrErr- Train- SlotClk+", False),
    ],
)
def test_the_registers_decide_and_not_the_notes(status: str, downgraded: bool) -> None:
    """lspci notes nothing at root and downstream ports, and old versions nowhere."""
    able = "LnkCap:\tPort #1, Speed 32GT/s, Width x16, ASPM L1"
    text = f"00:01.0 PCI bridge: X\n\t\t{able}\n\t\tLnkSta:\t{status}\n"
    assert lspci.parse(text)[0].downgraded is downgraded


def test_a_device_that_fell_off_the_bus_is_gone() -> None:
    gpu, nic = read("failed.txt")
    assert (gpu.gone, gpu.revision, gpu.unknown_header) == (True, "ff", "7f")
    assert not nic.gone


def test_without_root_capabilities_are_unknown() -> None:
    _, nic = read("failed.txt")
    assert nic.access_denied
    assert (nic.capabilities, nic.link_status, nic.acs_control) == (None, None, None)
    assert nic.redirects_peers is None


def test_a_device_that_is_cut_is_not_said_to_be_without_access_control() -> None:
    text = capture("lspci", "healthy.txt")
    cut = text[: text.index("\tCapabilities: [220 v1] Access")]
    assert lspci.parse(cut)[0].redirects_peers is None
    assert lspci.parse(cut.rstrip("\n"))[0].redirects_peers is None
    assert lspci.parse(cut + "\n")[0].redirects_peers is False


def test_forms_for_programs() -> None:
    gpu, bridge = read("machine.txt")
    assert (gpu.class_id, gpu.vendor_id, gpu.device_id) == ("0302", "10de", "2901")
    assert (gpu.revision, bridge.pci) == ("a1", "0000:00:1f.0")
    first, second = read("tagged.txt")
    assert (first.pci, first.class_id, first.numa_node) == ("0009:01:00.0", "0302", 1)
    assert (first.driver, first.slot, second.numa_node) == ("nvidia", "9", None)
    assert [device.device_id for device in read("numbers.txt")] == ["2941", "1023"]


def test_without_details_nothing_is_said_of_links() -> None:
    assert {device.downgraded for device in read("numbers.txt")} == {None}
    assert {device.redirects_peers for device in read("numbers.txt")} == {None}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-[0000:00]-+-00.0\n           +-01.0-[01]----00.0\n",
        "\t\tACSCtl:\tSrcValid- TransBlk-\n",
        capture("lspci", "numbers.txt") * 2,
        "0: 01:00.0 3D controller: X\n1: 01:00.0 3D controller: X\n",
    ],
)
def test_what_is_no_list_or_two_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        lspci.parse(text)


def test_a_host_without_pci_is_told() -> None:
    with pytest.raises(ToolFailed, match="pcilib"):
        read("refused.txt")


def test_a_link_register_in_other_words_is_refused() -> None:
    with pytest.raises(RackError, match="LnkSta"):
        lspci.parse("01:00.0 3D controller: X\n\tLnkSta:\tfast and wide\n")


def test_a_card_says_its_part_and_serial_number() -> None:
    text = (
        "0000:18:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
        "\tCapabilities: [48] Vital Product Data\n"
        "\t\tProduct Name: 1 port adapter\n"
        "\t\tRead-only fields:\n"
        "\t\t\t[PN] Part number: MCX7-ABC\n"
        "\t\t\t[SN] Serial number: MT9900X01234\n"
        "\t\tEnd\n"
    )
    (card,) = lspci.parse(text)
    assert (card.part_number, card.serial_number) == ("MCX7-ABC", "MT9900X01234")


def test_a_listing_quoted_and_wrapped_by_a_mailer_is_read() -> None:
    text = (
        "> 00:1c.0 PCI bridge: Intel Corporation Device 9d10 (rev f1)\n"
        ">         Capabilities: [70] Express (v2) Root Port (Slot-), MSI 00\n"
        ">                 DevSta: CorrErr- NonFatalErr+ FatalErr- UnsupReq- \n"
        "> AuxPwr+ TransPend-\n"
        ">                 LnkCap: Port #0, Speed 8GT/s, Width x0, ASPM L1, Exit \n"
        "> Latency L1 unlimited\n"
        ">                 LnkSta: Speed 2.5GT/s (downgraded), Width x1 (strange)\n"
    )
    (port,) = lspci.parse(text)
    assert port.device_status == {
        **{"CorrErr": False, "NonFatalErr": True, "FatalErr": False, "UnsupReq": False},
        **{"AuxPwr": True, "TransPend": False},
    }
    assert port.link_capability is not None
    assert port.link_capability.width is None
    assert port.downgraded is None
    assert port.link_status is not None
    assert port.link_status.width_note == "strange"


def test_a_width_that_runs_into_something_else_is_none() -> None:
    known = lspci_fields.link("Speed 32GT/s, Width x16 (ok)", "t")
    assert known is not None
    assert known.width == 16
    with pytest.raises(Unreadable):
        lspci_fields.link("Speed 32GT/s, Width x146ev:", "t")
