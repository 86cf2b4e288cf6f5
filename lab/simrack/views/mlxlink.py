"""`mlxlink -d DEVICE -m -c --json`: a port's link, its module, and how many bits are wrong."""

from __future__ import annotations

import json
import math

from lab.simrack.devices import PortState
from lab.simrack.machine import Call
from lab.simrack.views.infiniband import PHYS, SPEEDS

UNKNOWN = "N/A"
NO_ERRORS = "15E-255"
"""What the tool prints where no error was seen since the last clear."""


async def run(call: Call) -> int:
    words = list(call.argv)
    device = words[words.index("-d") + 1] if "-d" in words[:-1] else ""
    port = next((one for one in call.host.fitted if one.device == device), None)
    if port is None:
        call.write(f'-E- Failed to open device: "{device}", No such file or directory\n')
        return 1
    output = {
        "Operational Info": _operational(port),
        "Troubleshooting Info": {
            "Group Opcode": UNKNOWN,
            "Recommendation": "No issue was observed" if port.up else "Cable is unplugged",
            "Status Opcode": "0" if port.up else "1024",
        },
        "Tool Information": {
            "Firmware Version": port.firmware,
            "MFT Version": "mft 4.32.0-120",
            "amBER Version": "4.10",
        },
        "Physical Counters and BER Info": _counters(port, _noise(call, port)),
        "Module Info": {
            "Identifier": "OSFP",
            "Cable Type": "Passive copper cable",
            "Vendor Name": "NVIDIA",
        },
    }
    status = {"code": 0, "message": "success"}
    call.write(json.dumps({"result": {"output": output}, "status": status}, indent=4) + "\n")
    return 0


def _operational(port: PortState) -> dict[str, str]:
    lane = SPEEDS.get(port.rate_gbps * 4 // port.width, UNKNOWN)
    return {
        "State": "Active" if port.up else "Polling",
        "Physical state": PHYS[port.phys].ibstat,
        "Speed": f"IB-{lane}" if port.up else UNKNOWN,
        "Width": f"{port.width}x" if port.up else UNKNOWN,
        "FEC": "Interleaved_Standard_RS_FEC_PLR - (544,514)" if port.up else UNKNOWN,
        "Loopback Mode": "No Loopback",
        "Auto Negotiation": "ON",
    }


def _counters(port: PortState, noise: float) -> dict[str, str]:
    if port.phys != "LinkUp":
        names = ("Raw Physical BER", "Effective Physical BER", "Symbol BER", "Link Down Counter")
        return dict.fromkeys(names, UNKNOWN)
    return {
        "Time Since Last Clear [Min]": "1440.5",
        "Symbol Errors": str(port.errors.get("symbol_error", 0)),
        "Symbol BER": NO_ERRORS,
        "Effective Physical Errors": "0",
        "Effective Physical BER": NO_ERRORS,
        "Raw Physical BER": _rate(port.raw_ber * noise),
        "Link Down Counter": str(port.errors.get("link_downed", 0)),
        "Link Error Recovery Counter": str(port.errors.get("link_error_recovery", 0)),
    }


def _noise(call: Call, port: PortState) -> float:
    """Good cables differ by a factor of two either way."""
    return float(10 ** ((call.world.noise("raw BER", port.part, spread=0.3)) - 1))


def _rate(value: float) -> str:
    """A coefficient of one digit and a magnitude."""
    magnitude = math.floor(math.log10(value))
    return f"{max(1, int(value / 10.0**magnitude))}E{magnitude}"
