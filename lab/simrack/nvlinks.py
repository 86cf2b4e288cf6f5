"""The NVLink domain: every link between a GPU and a switch chip, and the trunks between racks.

    r01-ct05/gpu2/link7 ─── r01-sw04/acp91      chip 2 of the fourth tray, GPU 19 of the rack
    r01-sw04/sw1p2s1    ─── r03-sw04/sw1p1s1    a trunk of the plan

A rack has a chip for each link of a GPU, so that each GPU has one link to each chip; its switch
trays share the chips evenly, and a tray's ports to compute trays are numbered chip by chip. A
server without an NVLink spine has its chips on its own board (`hgx01/nvswitch2`), and no tray.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fixtures.model.inventory import Gpu, Host, Inventory
from fixtures.model.parts import host_of
from lab.simrack.links import End, Link
from lab.simrack.products import GpuProduct

Chip = tuple[str, int]
"""The part that has it, and its number there, from 1."""
BOARD_LINKS = (5, 4, 4, 5)
"""Links of a GPU to each of the four NVSwitches on an HGX H100 board."""
LANES = 2
"""Of every NVLink 5, 200 Gb/s each. A GPU's driver prints the same rate with one as with both."""
NOT_FITTED = {12: (4, 5, 10, 11, 16, 17)}
"""Of the 18 links of a GPU's chip those that a product with fewer does not have, by how many it has
(Azure/azurehpc-health-checks issue #162: the H100 of a pair of PCIe cards)."""
TRUNK_GBYTES = 50.0
"""One way, as its two lanes of 200 Gb/s are signalled (`400G`, as a switch tray prints it)."""


@dataclass(slots=True, kw_only=True)
class NvlinkDomain:
    """All NVLinks of an inventory. `of_gpu` has a GPU's links in the order of their numbers,
    `ports` the link at each port of a switch tray, `trunks` those between two racks by the rank of
    their tray in its rack."""

    of_gpu: dict[str, list[Link]] = field(default_factory=dict)
    ports: dict[str, dict[str, Link]] = field(default_factory=dict)
    trunks: dict[tuple[str, str], dict[int, list[Link]]] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)

    def between(self, rack: str, other: str) -> dict[int, list[Link]]:
        """The trunks that join two racks, by the rank of their switch trays; empty for none."""
        return self.trunks.get((min(rack, other), max(rack, other)), {})

    def trunks_of(self, rack: str) -> Iterator[Link]:
        """Every trunk that leaves a rack."""
        for racks, by_rank in self.trunks.items():
            if rack in racks:
                for links in by_rank.values():
                    yield from links

    def end(self, port: str) -> End:
        """The end of a link at a port of a switch tray: `r01-sw04/acp91`."""
        node, _, name = port.partition("/")
        link = self.ports[node][name]
        return next(end for end in (link.near, link.far) if (end.node, end.port) == (node, name))


def chip(link: Link) -> Chip:
    """The switch chip at the far end of a GPU's link."""
    return link.far.node, link.far.chip


def carries(link: Link) -> float:
    """The rate that is left with the lanes that it runs on."""
    return link.reaches * link.lanes / LANES


def wire(inventory: Inventory, product: GpuProduct) -> NvlinkDomain:
    """Every link as it is built and planned, up and at its full rate."""
    domain = NvlinkDomain()
    if product.clustered:
        for rack in _racks(inventory):
            _wire_rack(domain, *rack, product)
        for cable in inventory.plan.cables:
            if cable.kind == "trunk":
                _wire_trunk(domain, inventory, cable.id, *cable.ends[:2])
    else:
        for host in inventory.hosts.values():
            for gpu in host.gpus:
                domain.of_gpu[gpu.part] = list(_board(host, gpu, product))
    _leave_out(domain, inventory)
    return domain


def _leave_out(domain: NvlinkDomain, inventory: Inventory) -> None:
    """Links that the chip of a GPU has and its product has not: inactive, and without a port."""
    bought = inventory.profile.counts.get("nvlinks_per_gpu")
    missing = NOT_FITTED.get(bought.equals if bought else 0, ())
    for links in domain.of_gpu.values():
        for index in missing:
            links[index].up = False
            domain.ports.get(links[index].far.node, {}).pop(links[index].far.port, None)


def _racks(inventory: Inventory) -> Iterator[tuple[list[Gpu], list[str]]]:
    """GPUs and switch trays of each rack; hosts in no rack are one together."""
    for members in list(inventory.racks.values()) or [tuple(inventory.hosts)]:
        hosts = [inventory.hosts[name] for name in members]
        gpus = [gpu for host in hosts if host.kind == "compute" for gpu in host.gpus]
        yield gpus, [host.name for host in hosts if host.kind == "switch"]


def _wire_rack(
    domain: NvlinkDomain, gpus: Sequence[Gpu], trays: Sequence[str], product: GpuProduct
) -> None:
    """One link of every GPU to every chip; where the inventory lists no trays, to chips alone."""
    for rank, tray in enumerate(trays):
        domain.ranks[tray] = rank
        domain.ports[tray] = {}
    per_tray = -(-product.links // max(len(trays), 1))
    for place, gpu in enumerate(gpus):
        links = []
        for index in range(product.links):
            rank, number = divmod(index, per_tray)
            port = f"acp{number * len(gpus) + place + 1}"
            node = trays[rank] if trays else "spine"
            far = End(node=node, port=port, chip=number + 1)
            links.append(_nvlink(gpu, index, far, product))
            if trays:
                domain.ports[node][port] = links[-1]
        domain.of_gpu[gpu.part] = links


def _board(host: Host, gpu: Gpu, product: GpuProduct) -> Iterator[Link]:
    """The links of a GPU to the chips on its server's board."""
    numbers = [number for number, count in enumerate(BOARD_LINKS, 1) for _ in range(count)]
    place = host.gpus.index(gpu)
    for index in range(product.links):
        number = numbers[index % len(numbers)]
        far = End(
            node=f"{host.name}/nvswitch{number - 1}",
            port=str(place * BOARD_LINKS[number - 1] + numbers[:index].count(number)),
            chip=number,
        )
        yield _nvlink(gpu, index, far, product)


def _nvlink(gpu: Gpu, index: int, far: End, product: GpuProduct) -> Link:
    near = End(node=gpu.part, port=f"link{index}")
    return Link(kind="nvlink", near=near, far=far, rate=product.link_gbytes, lanes=LANES)


def _wire_trunk(domain: NvlinkDomain, inventory: Inventory, cable: str, a: str, b: str) -> None:
    near, far = sorted((a, b), key=lambda end: inventory.hosts[host_of(end)].rack)
    racks = inventory.hosts[host_of(near)].rack, inventory.hosts[host_of(far)].rack
    ends = [End(node=host_of(end), port=end.partition("/")[2]) for end in (near, far)]
    link = Link(
        kind="trunk", near=ends[0], far=ends[1], rate=TRUNK_GBYTES, cable=cable, lanes=LANES
    )
    rank = domain.ranks.get(ends[0].node, 0)
    domain.trunks.setdefault(racks, {}).setdefault(rank, []).append(link)
    for end in ends:
        domain.ports.setdefault(end.node, {})[end.port] = link
