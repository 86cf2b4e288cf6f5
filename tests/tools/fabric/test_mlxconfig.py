"""`mlxconfig`: settings that a NIC keeps in its firmware."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import mlxconfig
from tests.simrack.bench import bench
from tests.tools.captures import capture, ended

HEALTHY = capture("mlxconfig", "healthy.txt")


def ordering(text: str) -> str:
    return mlxconfig.read(ended(text))["PCI_WR_ORDERING"].stated


def test_a_setting_is_read_with_its_word() -> None:
    assert ordering(HEALTHY) == "per_mkey"
    assert ordering(capture("mlxconfig", "degraded.txt")) == "force_relax"


def test_a_change_that_waits_for_a_boot_is_told() -> None:
    waits = HEALTHY.replace("per_mkey(0)\n", "force_relax(1)\n")
    assert ordering(waits) == "per_mkey, force_relax after the next boot"


def test_a_query_without_e_has_the_next_boot_alone() -> None:
    text = "Device #1:\nConfigurations:          Next Boot\n    PCI_WR_ORDERING   force_relax(1)\n"
    assert ordering(text) == "force_relax"


def test_settings_that_cannot_be_changed_are_read() -> None:
    text = (
        "Configurations:     Next Boot\n  RO  NUM_OF_VFS   8\n      PCI_WR_ORDERING  per_mkey(0)\n"
    )
    assert mlxconfig.parse(text)["NUM_OF_VFS"].stated == "8"


def test_a_tool_that_fails_says_why() -> None:
    with pytest.raises(ToolFailed, match="Failed to open device"):
        mlxconfig.read(ended(capture("mlxconfig", "failed.txt"), rc=3))
    with pytest.raises(ToolFailed, match="Something"):
        mlxconfig.parse("-E- Something else went wrong\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY * 2,
        HEALTHY.replace("Next Boot", "Tomorrow"),
        HEALTHY.replace("per_mkey(0)\n", "\n"),
        HEALTHY.partition("        PCI_WR")[0],
        "PCI_WR_ORDERING  per_mkey(0)\n",
    ],
)
def test_what_is_no_query_of_one_device_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        mlxconfig.parse(text)


def test_the_lab_prints_what_is_read() -> None:
    rack = bench("hgx8", "nic.forced_ordering@hgx02/mlx5_1/1")
    first, second = (
        mlxconfig.read(rack.result("hgx02", mlxconfig.command(f"mlx5_{at}"))) for at in range(2)
    )
    assert first["PCI_WR_ORDERING"].stated == "per_mkey"
    assert second["PCI_WR_ORDERING"].stated == "force_relax"
    assert rack.run("hgx02", *mlxconfig.command("mlx5_77").argv).rc != 0
