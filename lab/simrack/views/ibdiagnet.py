"""`ibdiagnet -o FOLDER -i DEVICE -p PORT`: stages, what the fabric has, and a table of errors.

Only what follows from the fabric's links and its manager is there; error counters are left to
`ibqueryerrors`, and a real run prints many more stages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lab.simrack.machine import Call
from lab.simrack.views.subnet import SWITCH_DEVICE, NoPort, Subnet, discover, observer

RULE = "-" * 45
CHECKS = {
    "Discovery": "Fabric Discover",
    "Lids Check": "Lids Check",
    "Links Check": "Links Check",
    "Subnet Manager": "SM Info retrieving",
    "Speed / Width checks": "Links Speed Check",
    "Routing": "AR Info retrieving",
}
"""Stage to the check that it ends with."""


async def run(call: Call) -> int:
    try:
        start = observer(call, "-i")
    except NoPort as error:
        return call.fail(f"-E- Failed to open port {error}:1\n", 1)
    found = discover(call.world, start)
    call.write("\n".join([*_top(call.argv), *_stages(found), *_fabric(found), *_table(), ""]))
    return 0


def _top(words: Sequence[str]) -> list[str]:
    return [
        'Running version:   "IBDIAGNET 2.13.0.MLNX20240131.1f6c9d2","IBDIAG 2.1.1.1f6c9d2"',
        f"Running command:   {' '.join(words)}",
        "Running timestamp: 2026-11-26 09:41:07 UTC +0000",
        "",
    ]


def _stages(found: Subnet) -> Iterator[str]:
    ports = sum(1 + node.switch.ports for node in found.switches.values() if node.switch)
    for stage, check in CHECKS.items():
        yield from (RULE, stage, f"-I- {check} finished successfully", "")
        if stage == "Discovery":
            switches, nics = len(found.switches), len(found.nics)
            yield (
                f"-I- No scope files. Total switches/ports [{switches}/{ports}], "
                f"CAs/ports [{nics}/{nics}]"
            )


def _fabric(found: Subnet) -> Iterator[str]:
    switches, nics = len(found.switches), len(found.nics)
    adaptive = switches if found.network.manager.adaptive else 0
    counts = {
        "Total Nodes": switches + nics,
        "IB Switches": switches,
        "IB Channel Adapters": nics,
        "IB Aggregation Nodes": 0,
        "IB Routers": 0,
    }
    yield from (RULE, "Fabric Summary", "")
    yield from (f"{name:<24}: {count}" for name, count in counts.items())
    yield from (
        "",
        f"Adaptive Routing is enabled on {adaptive} switches.",
    )
    links = _links(found)
    yield from ("", f"{'Total number of links':<24}: {links.total()}")
    yield from (f"{f'Links at {rate}':<24}: {count}" for rate, count in sorted(links.items()))
    yield from ("", _manager(found), "Standby SM : No Standby SM", "")


def _links(found: Subnet) -> Counter[str]:
    """How many links are up, by lanes and Gb/s of each."""
    return Counter(
        f"{link.lanes}x{round(link.trained / link.lanes)}"
        for link in found.network.cables.values()
        if found.network.trained(link) and found.at(link.near) and found.at(link.far)
    )


def _manager(found: Subnet) -> str:
    manager = found.network.manager
    node = found.switches.get(manager.node)
    if node is None or not manager.answers or manager.state != 3:
        return "Master SM: No Master SM"
    return (
        f"Master SM: Port=0 LID={node.lid} GUID=0x{node.guid} devid={SWITCH_DEVICE} "
        f"Priority:{manager.priority} Node_Type=SW Node_Description={node.description}"
    )


def _table() -> Iterator[str]:
    yield from (RULE, "Summary")
    yield f"-I- {'Stage':<36}{'Warnings':<11}{'Errors':<11}Comment"
    yield from (f"-I- {stage:<36}{0:<11}{0:<11}" for stage in CHECKS)
    yield from ("", "-I- You can find detailed errors/warnings in: ibdiagnet2.log", "")
