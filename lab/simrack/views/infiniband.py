"""`ibstat` and `rdma -j link`, and the words that sysfs has for a port."""

from __future__ import annotations

import json
from dataclasses import dataclass

from lab.simrack.devices import PortState
from lab.simrack.machine import Call

SPEEDS = {40: "QDR", 56: "FDR", 100: "EDR", 200: "HDR", 400: "NDR", 800: "XDR"}
"""Name of a lane's rate, by that of four lanes in Gb/s."""
HCA_TYPE = "MT4129"
NO_LID = 0xFFFF


@dataclass(frozen=True, slots=True)
class Words:
    """How sysfs, ibstat and rdma call a state."""

    sysfs: str
    ibstat: str
    rdma: str


STATES = {
    "DOWN": Words("1: DOWN", "Down", "DOWN"),
    "INIT": Words("2: INIT", "Initializing", "INIT"),
    "ARMED": Words("3: ARMED", "Armed", "ARMED"),
    "ACTIVE": Words("4: ACTIVE", "Active", "ACTIVE"),
}
PHYS = {
    "Polling": Words("2: Polling", "Polling", "POLLING"),
    "Disabled": Words("3: Disabled", "Disabled", "DISABLED"),
    "LinkUp": Words("5: LinkUp", "LinkUp", "LINK_UP"),
}


def rate(port: PortState) -> str:
    """As sysfs prints it; a port that polls says the slowest rate that there is."""
    if polls(port):
        return "2.5 Gb/sec (1X SDR)"
    speed = SPEEDS.get(port.rate_gbps * 4 // port.width)
    return f"{port.rate_gbps} Gb/sec ({port.width}X{f' {speed}' if speed else ''})"


def polls(port: PortState) -> bool:
    """Whether an InfiniBand port has no link; one of Ethernet keeps its rate then."""
    return port.phys != "LinkUp" and port.link_layer == "infiniband"


def lid(port: PortState) -> int:
    """0 where no subnet manager has given one yet, and on Ethernet."""
    if port.state == "INIT" or port.link_layer != "infiniband":
        return 0
    return NO_LID if port.state == "DOWN" else port.lid


def sm_lid(port: PortState) -> int:
    return port.sm_lid if port.state in ("ARMED", "ACTIVE") else 0


def gid(port: PortState) -> str:
    """GID 0: the port GUID behind the default prefix, on Ethernet made of the MAC address."""
    digits = port.guid
    if port.link_layer != "infiniband":
        mac = f"{int(digits[:2], 16) ^ 2:02x}{digits[2:6]}"
        digits = f"{mac}fffe{digits[10:]}"
    words = [digits[at : at + 4] for at in range(0, 16, 4)]
    return ":".join(["fe80", "0000", "0000", "0000", *words])


def layer(port: PortState) -> str:
    return "InfiniBand" if port.link_layer == "infiniband" else "Ethernet"


async def ibstat(call: Call) -> int:
    wanted = [word for word in call.argv[1:] if not word.startswith("-")]
    ports = [port for port in call.host.fitted if not wanted or port.device in wanted]
    if wanted and not ports:
        return call.fail(f"ibpanic: [1] main: '{wanted[0]}' IB device can't be found\n", 255)
    for port in ports:
        call.write(_ibstat(port))
    return 0


def _ibstat(port: PortState) -> str:
    guid = f"0x{port.guid}"
    inner = {
        "State": STATES[port.state].ibstat,
        "Physical state": PHYS[port.phys].ibstat,
        "Rate": 2.5 if polls(port) else port.rate_gbps,
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
    links = [_link(index, port) for index, port in enumerate(call.host.fitted)]
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
        "state": STATES[port.state].rdma,
        "physical_state": PHYS[port.phys].rdma,
        "netdev": f"{netdev}{index}",
        "netdev_index": index + 4,
    }
