"""`ibv_devinfo`: every device as programs that use verbs see it."""

from __future__ import annotations

from lab.simrack.devices import PortState
from lab.simrack.machine import Call
from lab.simrack.views import infiniband

MTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
STATES = {
    "DOWN": "PORT_DOWN (1)",
    "INIT": "PORT_INIT (2)",
    "ARMED": "PORT_ARMED (3)",
    "ACTIVE": "PORT_ACTIVE (4)",
}
PART_ID = 4129


async def run(call: Call) -> int:
    if not call.host.fitted:
        return call.fail("No IB devices found\n", 255)
    verbose = "-v" in call.argv
    call.write("\n".join(_device(port, verbose=verbose) for port in call.host.fitted) + "\n")
    return 0


def _device(port: PortState, *, verbose: bool) -> str:
    words = ":".join(port.guid[at : at + 4] for at in range(0, 16, 4))
    outer = {
        "transport": "InfiniBand (0)",
        "fw_ver": port.firmware,
        "node_guid": words,
        "sys_image_guid": words,
        "vendor_id": "0x02c9",
        "vendor_part_id": PART_ID,
        "hw_ver": "0x0",
        "board_id": port.card.psid,
        "phys_port_cnt": 1,
    }
    inner = {
        "state": STATES[port.state],
        "max_mtu": _mtu(4096),
        "active_mtu": _mtu(port.card.mtu),
        "sm_lid": infiniband.sm_lid(port),
        "port_lid": infiniband.lid(port),
        "port_lmc": "0x00",
        "link_layer": infiniband.layer(port),
    }
    lines = [f"hca_id:\t{port.device}"]
    lines += [f"\t{name}:\t\t\t{value}" for name, value in outer.items()]
    lines += ["\t\tport:\t1", *(f"\t\t\t{name}:\t\t{value}" for name, value in inner.items())]
    if verbose:
        gids = sorted(port.card.gids.items())
        lines += [f"\t\t\tGID[{at:3}]:\t\t{gid.short}, {gid.version}" for at, gid in gids]
    return "\n".join(lines) + "\n"


def _mtu(size: int) -> str:
    return f"{size} ({MTU_CODES[size]})"
