"""`mlnx_qos -i INTERFACE`: how a RoCE port sorts packets, and which priorities pause."""

from __future__ import annotations

from lab.simrack.machine import Call

PRIORITIES = range(8)


async def run(call: Call) -> int:
    interface = call.argv[-1]
    names = {f"eth{at}": port for at, port in enumerate(call.host.fitted)}
    port = names.get(interface)
    if call.argv[1:2] != ("-i",) or port is None or port.link_layer != "ethernet":
        return call.fail(f"Interface {interface} doesn't exist\n")
    card = port.card
    lines = ["DCBX mode: OS controlled", f"Priority trust state: {card.trust}"]
    if card.trust == "dscp":
        lines.append("dscp2prio mapping:")
        for at in PRIORITIES:
            codes = "".join(f"{at * 8 + low:02d}," for low in reversed(range(8)))
            lines.append(f"\tprio:{at} dscp:{codes}")
    lines += ["default priority:", "Cable len: 7", "PFC configuration:"]
    lines.append("\tpriority    " + "   ".join(map(str, PRIORITIES)))
    lines.append("\tenabled     " + "   ".join(str(int(at in card.lossless)) for at in PRIORITIES))
    lines.append("\tbuffer      " + "   ".join(str(int(at in card.lossless)) for at in PRIORITIES))
    lines += [f"tc: {at} ratelimit: unlimited, tsa: vendor" for at in PRIORITIES]
    call.write("\n".join(lines) + "\n")
    return 0
