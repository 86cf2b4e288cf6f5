"""Diagnostics, partitions, firmware and identity of a switch tray, in tables and JSON."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.nvlink import nvos_diagnostics, nvos_partition, nvos_platform
from tests.tools.captures import capture

PARTITIONS = capture("nvos-sdn-partition", "list.txt")


def test_every_port_has_its_codes() -> None:
    ports = nvos_diagnostics.parse(capture("nvos-link-diagnostics", "all.txt"))
    assert {port.name: [item.code for item in port.diagnostics] for port in ports} == {
        "acp1": [0],
        "acp2": [2],
        "fnm1": [1023],
        "sw1p1s1": [1024, 1030],
    }
    assert [port.no_issue for port in ports] == [True, False, None, False]


@pytest.mark.parametrize("name", ["one.txt", "one.json"])
def test_one_port_is_read(name: str) -> None:
    [port] = nvos_diagnostics.parse(capture("nvos-link-diagnostics", name))
    assert (port.name, port.diagnostics[0].code) in (("sw1p1s1", 0), (None, 57))


def test_diagnostics_of_all_ports_are_read_from_json() -> None:
    ports = nvos_diagnostics.parse(capture("nvos-link-diagnostics", "all.json"))
    assert [(port.name, port.diagnostics[0].status) for port in ports] == [
        ("acp1", "No issue was observed"),
        ("acp2", "Negotiation failure"),
    ]


def test_partitions_are_listed() -> None:
    user, default = nvos_partition.parse(PARTITIONS)
    assert (user.id, user.gpus, user.healthy) == (7, 8, False)
    assert (default.id, default.name, default.gpus) == (32766, "Default Partition", 64)
    assert (default.multicast_limit, default.partition_type) == (1024, "gpuuid_based")
    assert (default.healthy, default.members) == (True, None)


@pytest.mark.parametrize("name", ["one.txt", "one.json"])
def test_a_partition_has_its_members(name: str) -> None:
    [partition] = nvos_partition.parse(capture("nvos-sdn-partition", name))
    assert partition.members == (
        nvos_partition.Member(location="1.3.1.1", uuid="1584726017839562041"),
        nvos_partition.Member(location="1.3.1.2", uuid="1584726017839562042"),
    )


def test_no_data_is_no_partition() -> None:
    assert nvos_partition.parse("No Data\n") == nvos_partition.parse("{}") == ()


def test_firmware_is_read_by_component() -> None:
    listed = nvos_platform.parse_firmware(capture("nvos-firmware", "list.txt"))
    assert [(item.component, item.actual, item.installed) for item in listed] == [
        ("ASIC1", "35.2014.1700", "35.2014.1700"),
        ("BIOS", "0ACTV_00.01.014", None),
        ("CPLD1", "CPLD000370_REV0300", None),
    ]
    [asic] = nvos_platform.parse_firmware(capture("nvos-firmware", "one.txt"))
    assert (asic.component, asic.actual, asic.auto_update) == ("ASIC", "35.2014.1700", "enabled")
    assert len(nvos_platform.parse_firmware(capture("nvos-firmware", "list.json"))) == 2


def test_a_component_without_its_name_is_read() -> None:
    """The command as it is for the list, over the table of one component."""
    table = capture("nvos-firmware", "one.txt").split("\n", 1)[1]
    [asic] = nvos_platform.parse_firmware(f"$ nv show platform firmware\n{table}")
    assert (asic.component, asic.actual) == (None, "35.2014.1700")
    [asic] = nvos_platform.parse_firmware(f"$ nv show platform firmware -o auto | cat\n{table}")
    assert asic.component is None


def test_a_tray_is_identified() -> None:
    tray = nvos_platform.parse_platform(capture("nvos-platform", "platform.txt"))
    assert (tray.serial_number, tray.product_name) == ("MT2530X00001", "N5110_LD")
    place = nvos_platform.parse_platform(capture("nvos-platform", "location.txt"))
    assert (place.tray_index, place.slot_number, place.topology) == ("3", "12", "GB200 NVL72")
    version = nvos_platform.parse_version(capture("nvos-version", "version.txt"))
    assert (version.image, version.kernel) == ("nvos-25.02.2344", "6.1.38+deb12")


def test_newer_versions_call_the_product_a_system_type() -> None:
    """25.02.4253 and later."""
    text = capture("nvos-platform", "platform.txt").replace("product-name", "system-type ")
    assert nvos_platform.parse_platform(text).product_name == "N5110_LD"


def test_keys_of_newer_versions_are_kept() -> None:
    tray = nvos_platform.parse_platform(capture("nvos-platform", "platform.json"))
    assert tray.other == {"asic-count": "2"}


def test_blanks_lost_in_an_object_of_one_column_do_no_harm() -> None:
    text = "   operational\n-- ---\nserial-number MT1\nproduct-name N5110 LD\n"
    tray = nvos_platform.parse_platform(text)
    assert (tray.serial_number, tray.product_name) == ("MT1", "N5110 LD")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "hello",
        PARTITIONS + PARTITIONS,
        PARTITIONS.replace("32766", "7    "),
        PARTITIONS.replace("    ", " "),
        "Name  Value\n----  -----\na     b\n",
        '{"a": {"b": {}}}',
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    for parse in (
        nvos_diagnostics.parse,
        nvos_platform.parse_firmware,
        nvos_platform.parse_platform,
        nvos_platform.parse_version,
    ):
        with pytest.raises(Unreadable):
            parse(text)
    if text != "{}":
        with pytest.raises(Unreadable):
            nvos_partition.parse(text)


def test_what_nvue_refuses_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="Cluster is disabled"):
        nvos_partition.parse(capture("nvos-sdn-partition", "failed.txt"))
