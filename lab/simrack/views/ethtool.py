"""`ethtool -S INTERFACE`: what the driver of a RoCE port has counted, in all and by priority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lab.simrack.machine import Call

PRIORITIES, PACKET_BYTES = range(8), 4126


async def run(call: Call) -> int:
    interface = call.argv[-1]
    names = {f"eth{at}": port for at, port in enumerate(call.host.fitted)}
    port = names.get(interface)
    if call.argv[1:2] != ("-S",):
        return call.fail("ethtool: bad command line argument(s)\n")
    if port is None or port.link_layer != "ethernet":
        return call.fail("Cannot get stats strings information: No such device\n", 92)
    call.write("NIC statistics:\n")
    ways = {"rx": port.card.received, "tx": port.card.sent}
    rows = [*_physical(ways), *(row for way in ways.items() for row in _by_priority(*way))]
    call.write("".join(f"     {name}: {value}\n" for name, value in rows))
    return 0


def _physical(ways: dict[str, Counter[int]]) -> Iterator[tuple[str, int]]:
    for way, counts in ways.items():
        yield f"{way}_packets_phy", sum(map(_packets, counts.values()))
        yield f"{way}_bytes_phy", counts.total()


def _by_priority(way: str, counts: Counter[int]) -> Iterator[tuple[str, int]]:
    for at in PRIORITIES:
        yield f"{way}_prio{at}_bytes", counts[at]
        yield f"{way}_prio{at}_packets", _packets(counts[at])
        if way == "rx":
            yield f"rx_prio{at}_discards", 0


def _packets(size: int) -> int:
    return -(-size // PACKET_BYTES)
