"""NICs are found by GUID under whatever name they have, and no two slots share a device."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.model.errors import Blocked
from fixtures.model.inventory import Host
from fixtures.tools.binding.tray_facts import TrayFacts
from fixtures.tools.fabric import ib_port
from fixtures.tools.sysfs import OK_STATUS
from tests.areas.answers import answer, facts, shipped

STRANGE = "1122334455667788"
DPU = "a088c20300000001"


def words(guid: str) -> str:
    return ":".join(guid[at : at + 4] for at in range(0, 16, 4))


def sysfs(devices: Mapping[str, str], *, layer: str = "InfiniBand", gid: str = "") -> str:
    """Devices by name, with the GUID of each."""
    lines = []
    for name, guid in devices.items():
        device = f"{ib_port.ROOT}/{name}"
        lines += [
            f"{device}/node_guid:{words(guid)}",
            f"{device}/ports/1/link_layer:{layer}",
            f"{device}/ports/1/gids/0:fe80:0000:0000:0000:{words(gid or guid)}",
        ]
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def tray() -> Host:
    return shipped("rack7").hosts["r01-ct01"]


def found(tray: Host, devices: Mapping[str, str]) -> TrayFacts:
    return facts(tray, {"ib-sysfs": answer(sysfs(devices))})


def guids(tray: Host) -> list[str]:
    return [nic.guid for nic in tray.nics]


def names(of: TrayFacts) -> list[str | None]:
    return [slot.device.name if slot.device else None for slot in of.ports]


def test_swapped_names_are_found_by_guid(tray: Host) -> None:
    first, second, third, fourth = guids(tray)
    swapped = {"mlx5_0": second, "mlx5_1": first, "mlx5_2": third, "mlx5_3": fourth}
    shown = found(tray, swapped)
    assert names(shown) == ["mlx5_1", "mlx5_0", "mlx5_2", "mlx5_3"]
    assert [slot.guid for slot in shown.ports] == guids(tray)
    assert [shown.device_name(nic) for nic in tray.nics] == names(shown)


def test_a_dpu_before_the_nics_shifts_their_names_and_nothing_else(tray: Host) -> None:
    shifted = {"mlx5_0": DPU, **{f"mlx5_{at}": g for at, g in enumerate(guids(tray), 1)}}
    shown = found(tray, shifted)
    assert names(shown) == ["mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4"]
    assert [slot.guid for slot in shown.ports] == guids(tray)


def test_a_missing_nic_does_not_borrow_the_device_of_another(tray: Host) -> None:
    first, second, third, _ = guids(tray)
    shown = found(tray, {"mlx5_0": DPU, "mlx5_1": first, "mlx5_2": second, "mlx5_3": third})
    assert names(shown) == ["mlx5_1", "mlx5_2", "mlx5_3", None]
    assert shown.ports[3].guid == "missing"
    with pytest.raises(Blocked, match=r"r01-ct01/mlx5_3 did not pass"):
        shown.device_name(tray.nics[3])


def test_another_nic_in_a_slot_shows_its_own_guid(tray: Host) -> None:
    first, second, third, _ = guids(tray)
    shown = found(tray, {"mlx5_0": first, "mlx5_1": second, "mlx5_2": third, "mlx5_3": STRANGE})
    assert (names(shown)[3], shown.ports[3].guid) == ("mlx5_3", STRANGE)


def test_slots_without_a_guid_go_by_name_among_what_is_left(tray: Host) -> None:
    first, second, third, fourth = tray.nics
    silent = replace(tray, nics=(first, replace(second, guid=""), third, fourth))
    swapped = {"mlx5_1": first.guid, "mlx5_0": STRANGE, "mlx5_2": third.guid}
    shown = found(silent, swapped)
    assert names(shown) == ["mlx5_1", None, "mlx5_2", None]
    assert [slot.guid for slot in shown.ports][1:] == [None, third.guid, "missing"]


@pytest.mark.parametrize(("layer", "expected"), [("Ethernet", True), ("InfiniBand", False)])
def test_a_node_guid_is_an_ethernet_ports_too(tray: Host, layer: str, expected: bool) -> None:
    """On RoCE `ibstat` prints `8c2a:8eff:fe88:9b10` for the node and this for its port."""
    node, port = "8c2a8efffe889b10", "8e2a8efffe889b10"
    for bought in (node, port):
        one = replace(tray, nics=(replace(tray.nics[0], guid=bought),))
        text = sysfs({"mlx5_9": node}, layer=layer, gid=port)
        [slot] = facts(one, {"ib-sysfs": answer(text)}).ports
        assert (slot.guid == bought) is (expected or bought == port)


def test_find_names_every_device_and_follows_no_link_out_of_it(tmp_path: Path) -> None:
    """The real `find` on a class of links, as sysfs has it, with the loop that sysfs has, too."""
    root, real = tmp_path / "class", tmp_path / "devices" / "0000:01:00.0" / "ibp1s0"
    (real / "ports" / "1" / "gids").mkdir(parents=True)
    root.mkdir()
    (root / "ibp1s0").symlink_to(real)
    (real / "device").symlink_to(real.parent)
    (real / "subsystem").symlink_to(root)
    (real / "node_guid").write_text("a088:c203:00aa:0b10\n")
    (real / "ports" / "1" / "state").write_text("4: ACTIVE\n")
    (real / "ports" / "1" / "gids" / "0").write_text("fe80:0:0:0:a088:c203:00aa:0b10\n")
    (real / "ports" / "1" / "gids" / "1").write_text("another\n")
    argv = [word.replace(ib_port.ROOT, str(root)) for word in ib_port.command().argv]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert sorted(done.stdout.splitlines()) == [
        f"{root}/ibp1s0/node_guid:a088:c203:00aa:0b10",
        f"{root}/ibp1s0/ports/1/gids/0:fe80:0:0:0:a088:c203:00aa:0b10",
        f"{root}/ibp1s0/ports/1/state:4: ACTIVE",
    ]
    assert done.returncode in OK_STATUS
    assert [line for line in done.stderr.splitlines() if "subsystem" not in line] == []
