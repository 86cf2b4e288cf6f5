"""A made-up InfiniBand fabric of any size: its plan, and what ibnetdiscover would print of it.

Three levels of switches, optimised by rail: a leaf has the n-th HCA of as many trays as half its
ports, pods of leaves have one spine for each uplink, and every spine is linked to the cores of its
number. The last pod may be short. Every switch has an aggregation node on the port after its last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fixtures.model.plan import Cable

RAILS = 8
WIDTH, SPEED = "4x", "NDR"
AGGREGATION = "Mellanox Technologies Aggregation Node"

End = tuple[str, int]
"""Device and port number."""


@dataclass(frozen=True)
class FatTree:
    """The plan of a fabric with that many HCAs on switches with that many ports."""

    hcas: int = 35_000
    radix: int = 64

    @property
    def half(self) -> int:
        return self.radix // 2

    @cached_property
    def hca_names(self) -> list[str]:
        return [f"t{at // RAILS:05d}/mlx5_{at % RAILS}" for at in range(self.hcas)]

    @cached_property
    def cables(self) -> tuple[Cable, ...]:
        """Every cable once: HCA to leaf, leaf to spine, spine to core."""
        pairs = [
            *(("host", ends) for ends in self._down()),
            *(("fabric", ends) for ends in self._up()),
        ]
        return tuple(
            Cable(f"C{at:06d}", kind, (_name(near), _name(far)), f"cables.csv:{at + 2}")
            for at, (kind, (near, far)) in enumerate(pairs)
        )

    @cached_property
    def guids(self) -> dict[str, str]:
        """Node GUIDs by device: HCAs first, then switches in the order of their first cable."""
        ends = (end.rpartition("/")[0] for cable in self.cables for end in cable.ends)
        devices = list(dict.fromkeys([*self.hca_names, *ends]))
        return {
            device: f"{0x5A1FE00000000000 + 0x100 * at:016x}" for at, device in enumerate(devices)
        }

    def _down(self) -> Iterator[tuple[End, End]]:
        for at, name in enumerate(self.hca_names):
            unit, place = divmod(at // RAILS, self.half)
            yield (name, 1), (self._leaf(unit, at % RAILS), place + 1)

    def _up(self) -> Iterator[tuple[End, End]]:
        trays = -(-self.hcas // RAILS)
        units = -(-trays // self.half)
        leaves = [(unit, rail) for unit in range(units) for rail in range(RAILS)]
        for at, (unit, rail) in enumerate(leaves):
            pod, place = divmod(at, self.half)
            for spine in range(self.half):
                near = (self._leaf(unit, rail), self.half + 1 + spine)
                yield near, (f"spine-{pod}-{spine}", place + 1)
        for pod in range(-(-len(leaves) // self.half)):
            for spine in range(self.half):
                for core in range(self.half):
                    near = (f"spine-{pod}-{spine}", self.half + 1 + core)
                    yield near, (f"core-{spine}-{core}", pod + 1)

    def _leaf(self, unit: int, rail: int) -> str:
        return f"leaf-{unit}-r{rail}"


def _name(end: End) -> str:
    return f"{end[0]}/{end[1]}"


@dataclass(frozen=True)
class Built:
    """What stands there in the end: links by cable (or by what nobody planned), rates that are not
    the usual one, and GUIDs of the devices that answer."""

    tree: FatTree
    links: dict[str, tuple[End, End]]
    rates: dict[End, str]
    guids: dict[str, str]

    @cached_property
    def ports(self) -> dict[str, list[tuple[int, End]]]:
        """Every linked port of every device, with what it is linked to."""
        found: dict[str, list[tuple[int, End]]] = {device: [] for device in self.guids}
        for near, far in self.links.values():
            found[near[0]].append((near[1], far))
            found[far[0]].append((far[1], near))
        return found


def as_planned(tree: FatTree) -> Built:
    links = {cable.id: (_end(cable.ends[0]), _end(cable.ends[1])) for cable in tree.cables}
    return Built(tree=tree, links=links, rates={}, guids=dict(tree.guids))


def with_faults(tree: FatTree) -> tuple[Built, set[tuple[str, tuple[str, ...]]]]:
    """The plan built with one fault of each kind, and what a comparison must say: kind, cables."""
    built = as_planned(tree)
    links, cables = built.links, tree.cables
    host = [cables[int(tree.hcas * share)].id for share in (0.1, 0.25, 0.4, 0.6, 0.8)]
    swapped, other, narrow, slow, gone = host
    missing, strayed = cables[int(len(cables) * 0.6)].id, cables[-1].id
    (a, to_a), (b, to_b) = links[swapped], links[other]
    links[swapped], links[other] = (a, to_b), (b, to_a)
    del links[missing]
    spine, core = links[strayed]
    links[strayed] = (spine, (core[0], tree.radix))
    built.rates[links[narrow][0]] = "2xNDR"
    built.rates[links[slow][1]] = "4xHDR"
    del built.guids[links.pop(gone)[0][0]]
    links["extra"] = (("core-0-0", tree.radix), ("core-0-1", tree.radix))
    links["stranger"] = (("stranger/mlx5_0", 1), ("core-1-1", tree.radix))
    built.guids["stranger/mlx5_0"] = "00ff000000000001"
    return built, {
        *{("swapped", (swapped, other)), ("missing", (missing,)), ("miscabled", (strayed,))},
        *{("width", (narrow,)), ("speed", (slow,)), ("node-missing", (gone,))},
        *{("extra", ()), ("node-unknown", ())},
    }


def topology_text(built: Built) -> str:
    """What ibnetdiscover prints of it."""
    lines = ["#\n# Topology file: generated on Thu Mar 12 09:41:07 2026\n#\n"]
    lines.append(f"# Initiated from node {'0' * 15}1 port {'0' * 15}1\n")
    lids = {device: at + 1 for at, device in enumerate(built.guids)}
    for device in built.guids:
        if not _is_hca(device):
            lines += _switch(built, device, lids)
    for device in built.guids:
        if _is_hca(device):
            lines += _adapter(built, device, lids)
    return "".join(lines)


def _switch(built: Built, device: str, lids: dict[str, int]) -> Iterator[str]:
    guid, last = built.guids[device], built.tree.radix + 1
    bare = guid.lstrip("0")
    yield f"\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{bare}\nswitchguid=0x{bare}({bare})\n"
    yield f'Switch\t{last} "S-{guid}"\t\t# "{device}" enhanced port 0 lid {lids[device]} lmc 0\n'
    for port, (far, far_port) in sorted(built.ports[device]):
        far_guid = built.guids[far]
        peer = f'"S-{far_guid}"[{far_port}]'
        if _is_hca(far):
            peer = f'"H-{far_guid}"[{far_port}]({far_guid.lstrip("0")}) '
        rate = built.rates.get((device, port), f"{WIDTH}{SPEED}")
        yield f'[{port}]\t{peer}\t\t# "{_said(far)}" lid {lids[far]} {rate}\n'
    own = f"{int(guid, 16) + 8:016x}"
    yield f'[{last}]\t"H-{own}"[1]({own}) \t\t# "{AGGREGATION}" lid 9 {WIDTH}{SPEED}\n'
    yield f"\nvendid=0x2c9\ndevid=0xcf09\nsysimgguid=0x{bare}\ncaguid=0x{own}\n"
    yield f'Ca\t1 "H-{own}"\t\t# "{AGGREGATION}"\n'
    yield f'[1]({own}) \t"S-{guid}"[{last}]\t\t# lid 9 lmc 0 "{device}" lid 8 {WIDTH}{SPEED}\n'


def _adapter(built: Built, device: str, lids: dict[str, int]) -> Iterator[str]:
    guid = built.guids[device]
    bare = guid.lstrip("0")
    yield f"\nvendid=0x2c9\ndevid=0x1023\nsysimgguid=0x{bare}\ncaguid=0x{bare}\n"
    yield f'Ca\t1 "H-{guid}"\t\t# "{_said(device)}"\n'
    for port, (far, far_port) in built.ports[device]:
        rate = built.rates.get((device, port), f"{WIDTH}{SPEED}")
        said = f'# lid {lids[device]} lmc 0 "{far}" lid {lids[far]} {rate}'
        yield f'[{port}]({bare}) \t"S-{built.guids[far]}"[{far_port}]\t\t{said}\n'


def _is_hca(device: str) -> bool:
    return "/" in device


def _said(device: str) -> str:
    """As a host's node description has it: `t00001 mlx5_0`."""
    return device.replace("/", " ")


def _end(name: str) -> End:
    device, _, port = name.rpartition("/")
    return device, int(port)
