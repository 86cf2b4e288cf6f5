"""The PCIe switches above a device: a link that lost lanes there is not the device's own."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts.pci_path import Bridge, command, lacking, parse
from tests.tools.captures import CAPTURES

FOLDER = CAPTURES / "host-facts"


def ports(*widths: tuple[int | None, int | None]) -> list[Bridge]:
    return [
        Bridge(level=level, width=width, max_width=most)
        for level, (width, most) in enumerate(widths, 1)
    ]


def test_bridges_are_read_from_the_nearest() -> None:
    good, bad = parse((FOLDER / "pci-path-switch.txt").read_text()).values()
    assert [(port.level, port.width) for port in good] == [(1, 16), (2, 16), (3, 16)]
    assert (lacking(good), lacking(bad)) == (0, 8)
    (root,) = parse((FOLDER / "pci-path-root.txt").read_text()).values()
    assert lacking(root) == 0


def test_the_devices_own_link_is_not_that_of_the_switch() -> None:
    assert lacking(ports((8, 16), (16, 16), (16, 16))) == 0


def test_a_link_can_have_what_both_its_ends_can() -> None:
    assert lacking(ports((16, 16), (8, 16), (8, 8))) == 0
    assert lacking(ports((16, 16), (16, 16), (16, 16), (4, 16), (4, 16))) == 12


def test_what_is_not_known_is_not_whole() -> None:
    assert lacking([]) is None
    assert lacking(ports((16, 16), (None, 16), (None, 16))) is None


def test_what_is_asked_can_be_read() -> None:
    asked = [word for word in command(["0000:1b:00.0"]).argv if word.startswith("/")]
    assert len(asked) == 10
    (bridges,) = parse("".join(f"{path}:16\n" for path in asked)).values()
    assert [port.level for port in bridges] == [1, 2, 3, 4, 5]
    with pytest.raises(Unreadable, match="expected a bridge"):
        parse("/sys/bus/pci/devices/0000:1b:00.0/current_link_width:16")
    with pytest.raises(Unreadable, match="no bridge"):
        parse("")
