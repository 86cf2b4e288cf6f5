"""`nv show … -o json` of a switch tray: its ports, what it is, and what it runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from lab.simrack.links import End, Link
from lab.simrack.machine import Call
from lab.simrack.nvos import BMC, CHIPS, CPLD
from lab.simrack.state import HostState, World
from lab.simrack.views.smi_nvlink import error_ratio

Json = dict[str, object]
NO_SIGNAL = ("57", "signal not detected")
NO_ISSUE = ("0", "No issue was observed")
LANE_GBPS = 200
USAGE = "Error: simrack has this command only with `-o json`, as nvos readers ask it\n"
_DIGITS = re.compile(r"\d+")


async def nv(call: Call) -> int:
    """`nv show PATH -o json`, with `--view` for a part of every port."""
    words = list(call.argv[1:])
    if words[:1] != ["show"] or words[-2:] != ["-o", "json"]:
        return call.fail(USAGE)
    path = tuple(words[1:-2])
    show = SHOWN.get(path)
    found = show(call.world, call.host) if show else _one(call, path)
    if found is None:
        return call.fail("Error: The requested item does not exist.\n")
    call.write(json.dumps(found, indent=1) + "\n")
    return 0


def _one(call: Call, path: tuple[str, ...]) -> object | None:
    """One port, asked for by its name."""
    if len(path) != 2 or path[0] != "interface":
        return None
    return ports(call.world, call.host).get(path[1])


def ports(world: World, host: HostState) -> Json:
    """Every port to a GPU or to another rack, in the order of their names' numbers; without those
    of chips that are not found."""
    links = {
        name: link
        for name, link in world.nvlinks.ports.get(host.name, {}).items()
        if link.kind == "trunk" or link.far.chip not in host.switch.dead_chips
    }
    return {name: _port(host, name, links[name]) for name in sorted(links, key=_order)}


def _order(name: str) -> tuple[str, list[int]]:
    return name[:2], [int(digits) for digits in _DIGITS.findall(name)]


def _port(host: HostState, name: str, link: Link) -> Json:
    end = next(end for end in (link.near, link.far) if (end.node, end.port) == (host.name, name))
    code, status = NO_ISSUE if link.up else NO_SIGNAL
    found: Json = {
        "state": {"up" if link.up and end.active else "down": {}},
        "diagnostics": {code: {"status": status}},
        "physical-state": "LinkUp" if link.up else "Polling",
        "logical-state": ("Active" if end.active else "Initialize") if link.up else "Down",
        "counters": _counters(end),
    }
    if link.up:
        found["speed"] = f"{round(link.lanes * LANE_GBPS * link.share)}G"
        found["lanes"] = f"{link.lanes}X"
        found["phy-detail"] = _phy(end)
    return {"link": found, "type": "nvl"}


def _counters(end: End) -> Json:
    return {
        "in-bytes": end.received_bytes,
        "in-pkts": end.received_packets,
        "in-errors": end.errors.get("crc", 0),
        "out-bytes": end.sent_bytes,
        "out-pkts": end.sent_packets,
        "link-error-recovery": end.errors.get("recovery", 0),
        "link-downed": end.errors.get("downed", 0),
        "symbol-errors": end.errors.get("symbol", 0),
    }


def _phy(end: End) -> Json:
    return {
        "raw-ber": "2E-9",
        "effective-ber": error_ratio(end, "effective").upper(),
        "symbol-ber": error_ratio(end, "symbol").upper(),
    }


def _diagnostics(world: World, host: HostState) -> Json:
    """The view of all ports that has nothing but what is wrong with each."""
    return {
        name: {"link": {"diagnostics": port["link"]["diagnostics"]}}  # type: ignore[index]
        for name, port in ports(world, host).items()
    }


def _platform(world: World, host: HostState) -> Json:
    return {
        "product-name": "N5110_LD",
        "serial-number": host.serial,
        "part-number": "692-9K36F-00MV-JS0",
        "asic-model": "Quantum3",
        "asic-count": CHIPS - len(host.switch.dead_chips),
        "chassis-location": {
            "chassis-sn": host.rack_serial,
            "slot-number": 9 + host.tray,
            "tray-index": host.tray,
        },
    }


def _firmware(world: World, host: HostState) -> Json:
    chips = [number for number in range(1, CHIPS + 1) if number not in host.switch.dead_chips]
    firmware = {f"ASIC{number}": host.switch.chip_firmware for number in chips}
    firmware |= {"BIOS": "0ACTV_00.01.012", "BMC": BMC, "CPLD1": CPLD}
    return {name: _installed(version) for name, version in firmware.items()}


def _installed(version: str) -> Json:
    return {"actual-firmware": version, "auto-update": "enabled", "fw-source": "default"}


def _version(world: World, host: HostState) -> Json:
    return {
        "image": f"nvos-{host.switch.image}",
        "kernel": host.kernel,
        "build-date": "Fri Jul 4 2025",
    }


def _partitions(world: World, host: HostState) -> Json:
    """The partitions that GPUs of the rack are registered in, by number."""
    gpus = [gpu for one in world.members(host.rack or world.name) for gpu in one.gpus]
    cliques = [gpu.fabric.clique for gpu in gpus if gpu.fabric.joined]
    return {str(one): _partition(one, cliques.count(one)) for one in sorted(set(cliques))}


def _partition(clique: int, gpus: int) -> Json:
    return {
        "name": "Default Partition" if clique == 32766 else f"partition-{clique}",
        "num-gpus": gpus,
        "health": "healthy",
        "mcast-limit": 1024,
        "resiliency-mode": "adaptive_bandwidth",
        "partition-type": "gpuuid_based",
    }


SHOWN: Mapping[tuple[str, ...], Callable[[World, HostState], Json]] = {
    ("interface",): ports,
    ("interface", "--view", "link-diagnostics"): _diagnostics,
    ("platform",): _platform,
    ("platform", "firmware"): _firmware,
    ("system", "version"): _version,
    ("sdn", "partition"): _partitions,
}
