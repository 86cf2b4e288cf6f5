"""How fast a collective is: a curve over size and ranks, and the slowest GPU's share of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from lab.simrack.devices import GpuState, PortState
from lab.simrack.gpu_health import collective_share
from lab.simrack.nvlink_traffic import group_share
from lab.simrack.products import GpuProduct
from lab.simrack.state import HostState, World
from lab.simrack.views.nccl_log import own_settings
from lab.simrack.views.nvbandwidth import THROUGH_HOST

NDR_GBPS = 400
OVER_NETWORK = 0.22
"""All-reduce over four NDR ports a tray against the NVLink domain (the profile's limits for MNNVL
on and off)."""
OVER_SOCKETS = 0.015
"""The same over one TCP connection of the management network."""
WITH_STALE_TOPOLOGY = 0.031
"""Of a node whose NCCL_TOPO_FILE describes another one (Azure/azurehpc-health-checks#142: 15 GB/s
of 480)."""
NOISE = 0.003
Member = tuple[GpuState, HostState]


def bus_bandwidth(
    world: World, name: str, members: Sequence[Member], size: int, place: str
) -> float:
    """GB/s: the product's curve over size, its scaling over ranks, and the slowest share of it.

    `place` is where and when in the run, for the noise.
    """
    product, gpus = world.product, [gpu for gpu, _ in members]
    ranks = len(gpus)
    share = over_nvlinks(world, gpus)
    if len(_islands(world, members)) > 1:
        share = min(share * _headroom(product, ranks), over_network(world, members))
    share *= min(_settings(host) for _, host in members)
    share *= min(_now(gpu, place) for gpu in gpus)
    share = max(share, OVER_SOCKETS * THROUGH_HOST)
    noise = world.noise(name, gpus[0].part, ranks, size, place, spread=NOISE)
    healthy = _over_size(product.busbw_by_size, size) * _over(product.busbw_by_ranks, ranks)
    return healthy * _over(product.against_all_reduce.get(name, {1: 1.0}), ranks) * share * noise


def over_nvlinks(world: World, gpus: Sequence[GpuState]) -> float:
    """The slowest GPU's share; one without NVLinks goes by way of its host."""
    slowest = min(gpu.nccl_factor * collective_share(gpu) for gpu in gpus)
    slowest *= group_share(world, gpus)
    return max(slowest, THROUGH_HOST)


def over_network(world: World, members: Sequence[Member]) -> float:
    """What is left between NVLink domains: of the node with the fewest ports, the slowest port.

    NCCL leaves ports out that are down, and gives all others the same part of the data.
    """
    hosts = {host.name: host for _, host in members}.values()
    if not all(host.nccl.verbs for host in hosts):
        return OVER_SOCKETS
    share = min((_ports(host) for host in hosts if host.ports), default=1.0)
    return share * (OVER_NETWORK if world.product.clustered else 1.0)


def _ports(host: HostState) -> float:
    bought = [port for port in host.ports if port.rail >= 0]
    up = [port for port in bought if port.present and port.up]
    if not up:
        return OVER_SOCKETS
    return len(up) / len(bought) * min(port_share(port) for port in up)


def port_share(port: PortState) -> float:
    """What part of its rate a port that is up carries."""
    return port.rate_gbps / NDR_GBPS * port.slow


def _islands(world: World, members: Sequence[Member]) -> set[object]:
    """GPUs of one island reach each other over NVLinks."""
    if world.product.clustered:
        return {gpu.domain for gpu, _ in members}
    return {host.name for _, host in members}


def _headroom(product: GpuProduct, ranks: int) -> float:
    """How much faster a node is by itself than what the network lets all nodes reach together."""
    curve = product.busbw_by_ranks
    return max(1.0, curve[min(curve)] / _over(curve, ranks))


def _settings(host: HostState) -> float:
    return WITH_STALE_TOPOLOGY if "NCCL_TOPO_FILE" in own_settings(host) else 1.0


def _now(gpu: GpuState, place: str) -> float:
    """A GPU that is unsteady is slow in every third row, out of place and in place."""
    return gpu.nccl_unsteady if place.endswith(("1", "4")) else 1.0


def _over_size(curve: Mapping[int, float], size: int) -> float:
    """Below the first point of the curve latency rules: bandwidth grows with the size."""
    smallest = min(curve)
    if size < smallest:
        return curve[smallest] * math.pow(size / smallest, 0.75)
    return _over(curve, size)


def _over(curve: Mapping[int, float], at: int) -> float:
    """The curve at a point, linear between its points on a logarithmic axis, flat outside."""
    points = sorted(curve)
    if at <= points[0]:
        return curve[points[0]]
    for low, high in pairwise(points):
        if at <= high:
            part = math.log(at / low) / math.log(high / low)
            return curve[low] + part * (curve[high] - curve[low])
    return curve[points[-1]]
