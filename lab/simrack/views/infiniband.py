"""`ibstat` and `rdma -j link`, and the words that sysfs has for a port."""

from __future__ import annotations

import json

from lab.simrack.machine import Call
from lab.simrack.state import PortState

SPEEDS = {100: "EDR", 200: "HDR", 400: "NDR", 800: "XDR"}
HCA_TYPE, BOARD = "MT4129", "MT_0000000838"
SM_LID = 1
NO_LID = 0xFFFF


def rate(port: PortState) -> str:
    """As sysfs prints it; a port that polls says the slowest rate that there is."""
    if not port.up:
        return "2.5 Gb/sec (1X SDR)"
    speed = SPEEDS.get(port.rate_gbps)
    return f"{port.rate_gbps} Gb/sec (4X{f' {speed}' if speed else ''})"


def lid(port: PortState) -> int:
    return port.lid if port.up else NO_LID


def sm_lid(port: PortState) -> int:
    return SM_LID if port.up else 0


def layer(port: PortState) -> str:
    return "InfiniBand" if port.link_layer == "infiniband" else "Ethernet"


async def ibstat(call: Call) -> int:
    wanted = [word for word in call.argv[1:] if not word.startswith("-")]
    ports = [port for port in call.host.ports if not wanted or port.device in wanted]
    if wanted and not ports:
        return call.fail(f"ibpanic: [1] main: '{wanted[0]}' IB device can't be found\n", 255)
    for port in ports:
        call.write(_ibstat(port))
    return 0


def _ibstat(port: PortState) -> str:
    guid = f"0x{port.guid}"
    inner = {
        "State": "Active" if port.up else "Down",
        "Physical state": "LinkUp" if port.up else "Polling",
        "Rate": port.rate_gbps if port.up else 2.5,
        "Base lid": lid(port),
        "LMC": 0,
        "SM lid": sm_lid(port),
        "Capability mask": "0xa751e848",
        "Port GUID": guid,
        "Link layer": layer(port),
    }
    outer = {
        "CA type": HCA_TYPE,
        "Number of ports": 1,
        "Firmware version": port.firmware,
        "Hardware version": 0,
        "Node GUID": guid,
        "System image GUID": guid,
    }
    lines = [f"CA '{port.device}'"]
    lines += [f"\t{name}: {value}" for name, value in outer.items()]
    lines += ["\tPort 1:", *(f"\t\t{name}: {value}" for name, value in inner.items())]
    return "\n".join(lines) + "\n"


async def rdma(call: Call) -> int:
    words = [word for word in call.argv[1:] if word not in ("-j", "show")]
    if words != ["link"]:
        return call.fail(f"rdma: unknown object '{' '.join(words)}'\n", 22)
    links = [_link(index, port) for index, port in enumerate(call.host.ports)]
    if "-j" in call.argv:
        call.write(json.dumps(links, separators=(",", ":")) + "\n")
        return 0
    for port in links:
        call.write(
            f"link {port['ifname']}/1 state {port['state']} physical_state "
            f"{port['physical_state']} netdev {port['netdev']}\n"
        )
    return 0


def _link(index: int, port: PortState) -> dict[str, object]:
    netdev = "ib" if port.link_layer == "infiniband" else "eth"
    return {
        "ifindex": index,
        "ifname": port.device,
        "port": 1,
        "state": "ACTIVE" if port.up else "DOWN",
        "physical_state": "LINK_UP" if port.up else "POLLING",
        "netdev": f"{netdev}{index}",
        "netdev_index": index + 4,
    }
