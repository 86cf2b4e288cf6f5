"""Reports on ports as they come out of terminals, launchers and mails; cut and doubled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.errors import RackError, Unreadable
from fixtures.tools.as_json import plain
from fixtures.tools.fabric.port_readers import PORT_READERS
from tests.tools.captures import capture, ended, seeds

CASES = [(tool, path) for tool in PORT_READERS for path in seeds(tool)]
Change = Callable[[str], str]
FIRST_OF_TWO = {("/counters/tx_queue_stopped_for_a_long_long", 1)}
"""A name that `ethtool -S` prints twice is no doubt before its second line."""


def each(prefix: str) -> Change:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


CHANGES: dict[str, Change] = {
    "line-ends": lambda text: text.replace("\n", "\r\n"),
    "mark": lambda text: f"\ufeff{text}",
    "quoted": each("> "),
    "labelled": each("3: "),
    "host": each("r03-ct07: "),
    "blank-lines": lambda text: text.replace("\n", "\n\n"),
    "untabbed": lambda text: text.expandtabs(),
    "prompt": lambda text: f"[root@r03-ct07 ~]# some-tool -x\n{text}[root@r03-ct07 ~]# \n",
    "warning": lambda text: f"libibverbs: Warning: no driver found for uverbs9\n{text}",
}


CA = "CA 'mlx5_0'\n"
SYS = "/sys/class/infiniband/mlx5_0"
HCA = "hca_id:\tmlx5_0\n"
GID = "fe80:0000:0000:0000:a088:c203:00aa:0b10"
SETTINGS = "Settings for eth0:\n"
OSFP = "Identifier : 0x19 (OSFP 8X Pluggable Transceiver)\n"
VERSION = "FW Version: 28.43.2026\n"
DEVICE = "Device #1:\n"
KEPT = [
    ("ibstat", CA, "State: Active", "/0/ports/0/state", "Active"),
    ("ibstat", CA, "Link layer: InfiniBand", "/0/ports/0/link_layer", "InfiniBand"),
    ("ibstat", CA, "Port GUID: 0xa088c20300aa0b10", "/0/ports/0/port_guid", "a088c20300aa0b10"),
    ("ibstat", CA, "Rate: 40 (FDR10)", "/0/ports/0/rate_gbps", 40),
    ("ib-sysfs", "", f"{SYS}/ports/1/state:4: ACTIVE", "/0/ports/0/state", "ACTIVE"),
    ("ib-sysfs", "", f"{SYS}/node_guid:a088:c203:00aa:0b10", "/0/node_guid", "a088c20300aa0b10"),
    ("ib-sysfs", "", f"{SYS}/ports/1/gids/0:{GID}", "/0/ports/0/gids/0", GID),
    (
        "ibstatus",
        "Infiniband device 'a' port 1 status:\n",
        "state: 4: ACTIVE",
        "/0/state",
        "ACTIVE",
    ),
    ("ibv-devinfo", HCA, "link_layer:\tEthernet", "/0/ports/0/link_layer", "Ethernet"),
    ("ibv-devinfo", HCA, "node_guid: a088:c203:00aa:0b10", "/0/node_guid", "a088c20300aa0b10"),
    ("show-gids", "", f"mlx5_0\t1\t3\t{GID}\t\tv2", "/gids/0/version", "v2"),
    ("rdma-link", "", "link mlx5_0/1 state DOWN", "/0/state", "DOWN"),
    ("mlxlink", "", "State : Active", "/state", "Active"),
    ("mlxlink", "", "Effective Physical BER : 15E-255", "/counters/effective_ber", 15e-255),
    ("flint", VERSION, "Security Attributes: secure-fw", "/security_attributes/0", "secure-fw"),
    ("flint", VERSION, "PSID: MT_0000000838", "/psid", "MT_0000000838"),
    ("ibv-devinfo", HCA, "board_id: MT_0000000838", "/0/board_id", "MT_0000000838"),
    ("mlxfwmanager", DEVICE, "PSID: MT_0000000838", "/0/psid", "MT_0000000838"),
    ("mlxfwmanager", DEVICE, "Status: Up to date", "/0/status", "Up to date"),
    ("ethtool", SETTINGS, "Speed: 400000Mb/s", "/0/speed_mbps", 400000),
    ("ethtool", SETTINGS, "Link detected: no (No cable)", "/0/link_reason", "No cable"),
    ("ethtool-m", OSFP, "Module voltage : 3.2801 V", "/voltage_v", 3.2801),
    ("ethtool-m", "", OSFP.strip(), "/identifier", "OSFP 8X Pluggable Transceiver"),
]
"""What ends a text without a line feed and cannot be the half of a longer value."""
IN_DOUBT = [
    ("ibstat", CA + "State: Down\n", "Rate: 40", "/0/ports/0/rate_gbps"),
    (
        "ib-counters",
        f"{SYS}/ports/1/counters/a:1\n",
        f"{SYS}/ports/1/counters/b:1",
        "/0/counters/b",
    ),
    ("ib-sysfs", f"{SYS}/node_guid:\n", f"{SYS}/ports/1/gids/0:fe80:0000", "/0/ports/0/gids/0"),
    ("show-gids", "", f"mlx5_0\t1\t3\t{GID}\t\tv2\tens11f", "/gids/0/netdev"),
    ("rdma-link", "", "link mlx5_0/1 state ACTIVE", "/0/state"),
    ("rdma-statistic", "", "link mlx5_0/1 a 1 b 2", "/0/counters/b"),
    ("mlxlink", "State : Active\n", "Link Down Counter : 0", "/counters/link_down"),
    ("mlxlink", "State : Active\n", "Raw Physical BER : 15E-25", "/counters/raw_ber"),
    ("mlxlink", "State : Active\n", "FEC : RS-FEC - (544,514)", "/fec"),
    ("flint", VERSION, "PSID: MT_000000083", "/psid"),
    ("flint", VERSION, "PSID: DEL0000000036", "/psid"),
    ("ethtool", SETTINGS + "Speed: 1000Mb/s\n", "Lanes: 4", "/0/lanes"),
    ("ethtool-s", "NIC statistics:\n a: 1\n", " b: 12", "/counters/b"),
    ("ethtool-m", OSFP, "Vendor SN : MT2401", "/vendor_sn"),
]


def reading(tool: str, text: str) -> Any:
    return plain(PORT_READERS[tool](ended(text)), derived=False)


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in items:
            yield from leaves(item, f"{where}/{name}")
    else:
        yield where, value


def readable() -> list[tuple[str, Path]]:
    found = []
    for tool, path in CASES:
        try:
            reading(tool, path.read_text(encoding="utf-8"))
        except RackError:
            continue
        found.append((tool, path))
    return found


READABLE = readable()
IDS = [f"{tool}-{path.name}" for tool, path in READABLE]


@pytest.mark.parametrize("torn", ["Ro", "RoCE", "RoCE ", "RoCE v", "IB/RoCE ", "IB/RoCE v"])
def test_half_a_version_is_no_network_device(torn: str) -> None:
    row = f"mlx5_0\t1\t3\t{GID}\t10.0.1.5\t"
    [gid] = reading("show-gids", f"{row}RoCE v2\teth0\n{row}{torn}".replace("\t3\t", "\t4\t", 1))[
        "gids"
    ][1:]
    assert (gid["version"], gid["netdev"]) == (None, None)


@pytest.mark.parametrize("label", ["", "3: ", "> "])
@pytest.mark.parametrize(("tool", "head", "last", "where", "value"), KEPT)
def test_a_last_line_that_is_whole_needs_no_line_feed(
    tool: str, head: str, last: str, where: str, value: Any, label: str
) -> None:
    text = each(label)(head + last).removesuffix("\n")
    assert dict(leaves(reading(tool, text)))[where] == value


@pytest.mark.parametrize(("tool", "head", "last", "where"), IN_DOUBT)
def test_a_last_line_that_may_go_on_is_not_read(
    tool: str, head: str, last: str, where: str
) -> None:
    assert dict(leaves(reading(tool, head + last))).get(where) is None
    assert dict(leaves(reading(tool, f"{head}{last}\n[root@r03-ct07 ~]# "))).get(where) is not None


@pytest.mark.parametrize(
    "line",
    [
        *("+ ibstat", "sudo ibstat mlx5_0", "`ibstat | grep x`", "#ibstat", "~~~", "CODE"),
        "[root@r03-ct07:~]#/usr/sbin/ibstat",
    ],
)
def test_a_command_is_no_part_of_a_report(line: str) -> None:
    text = f"{line}\n{CA}State: Active\n"
    assert reading("ibstat", text) == reading("ibstat", f"{CA}State: Active\n")


@pytest.mark.parametrize("title", ["Output of it:", "===================="])
@pytest.mark.parametrize("tool", ["ibstat", "ibstatus", "ibv-devinfo", "mlxfwmanager", "ethtool"])
def test_a_title_above_a_report_is_skipped(tool: str, title: str) -> None:
    text = capture(tool, "healthy.txt")
    assert reading(tool, f"{title}\n{text}") == reading(tool, text)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_what_is_put_around_a_report_changes_nothing(tool: str, path: Path, change: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert reading(tool, CHANGES[change](text)) == reading(tool, text)


@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_two_reports_in_one_output_are_unreadable(tool: str, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    with pytest.raises(Unreadable):
        reading(tool, text * 2)
    with pytest.raises(Unreadable):
        reading(tool, each("0: ")(text) + each("1: ")(text))


@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_a_cut_report_never_gives_a_value_that_the_whole_does_not(tool: str, path: Path) -> None:
    """Half of a number or name is not taken for it; what is missing is None or Unreadable."""
    text = path.read_text(encoding="utf-8")
    whole = dict(leaves(reading(tool, text)))
    for size in range(1, len(text), max(1, len(text) // 97)):
        try:
            found = leaves(reading(tool, text[:size]))
        except RackError:
            continue
        torn = {
            (where, value)
            for where, value in found
            if value is not None and not where.endswith("complete") and whole.get(where) != value
        }
        assert torn <= FIRST_OF_TWO, text[:size][-60:]


@pytest.mark.parametrize(
    "tool", ["mlxlink", "ethtool-m", "ethtool-s", "rdma-link", "rdma-statistic"]
)
def test_json_needs_no_line_feed_at_its_end(tool: str) -> None:
    for path in seeds(tool):
        if path.suffix == ".json" and "failed" not in path.name:
            text = path.read_text(encoding="utf-8")
            right = reading(tool, text)
            assert reading(tool, text.rstrip()) == reading(tool, " ".join(text.split())) == right


@pytest.mark.parametrize("mark", ["...", "[...]", "<snip>"])
@pytest.mark.parametrize("tool", ["ibstat", "ibstatus", "ibv-devinfo", "flint", "ethtool-m"])
def test_a_report_with_lines_left_out_is_not_complete(tool: str, mark: str) -> None:
    text = capture(tool, "healthy.txt")
    assert {value for at, value in leaves(reading(tool, text)) if at.endswith("/complete")} == {
        True
    }
    cut = text.replace("\n", f"\n{mark}\n", 3)
    assert {value for at, value in leaves(reading(tool, cut)) if at.endswith("/complete")} == {
        False
    }
