"""How fast a collective is: a curve over size and ranks, and the slowest GPU's share of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from lab.simrack.devices import GpuState
from lab.simrack.gpu_health import collective_share
from lab.simrack.nvlink_traffic import group_share
from lab.simrack.state import World
from lab.simrack.views.nvbandwidth import THROUGH_HOST

OVER_NETWORK = 0.22
"""All-reduce over four NDR ports a tray against the NVLink domain (the profile's limits for MNNVL
on and off)."""


def bus_bandwidth(
    world: World, name: str, gpus: Sequence[GpuState], size: int, place: str
) -> float:
    """GB/s: the product's curve over size, its scaling over ranks, and the slowest GPU's share.

    Ranks of several NVLink domains meet over the network; a GPU without NVLinks by way of its host.
    """
    product = world.product
    slowest = min(gpu.nccl_factor * collective_share(gpu) for gpu in gpus)
    slowest *= group_share(world, gpus)
    if len({gpu.domain for gpu in gpus}) > 1:
        slowest = min(slowest, OVER_NETWORK)
    slowest = max(slowest, THROUGH_HOST)
    share = _over(product.busbw_by_ranks, len(gpus)) * slowest
    noise = world.noise(name, gpus[0].part, len(gpus), size, place, spread=0.003)
    return _over_size(product.busbw_by_size, size) * share * noise


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
