"""What is wrong with how a GPU runs, and what follows: clocks, heat, power and why it is held back.

A power brake, heat and a power cap lower the clock; a lower clock draws less power, and slows what
computes on the GPU. Every tool that is asked shows the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lab.simrack.devices import GpuState
    from lab.simrack.state import World

Brake = Literal["", "always", "loaded"]
IDLE_MHZ = 120
IDLE_C, LOADED_C, FULL_C = 29, 52, 87
"""Temperatures of an idle and of a loaded GPU, and the one at which no margin is left."""
HARDWARE_SLOWS_C, SOFTWARE_SLOWS_C = -2, 0
"""Margins at which a GPU is slowed for heat (`nvidia-smi -q`: Slowdown and Max Operating T.Limit).
"""
BRAKED, HEATED, WARMED = 0.4, 0.55, 0.8
"""Shares of its clock that a GPU keeps under the brake, and slowed by hardware or software."""
LOADED_SHARE = 0.8
"""Share of its power limit that a busy GPU draws."""
COLLECTIVES_NEED = 0.5
"""Share of the clock below which collectives are slower: they use few of the GPU's processors."""


@dataclass(slots=True, kw_only=True)
class Health:
    """What is wrong with how a GPU runs; all defaults are a healthy one.

    `braked`: the hardware's power brake is asserted. `margin_c` is what is left to the temperature
    limit under load, None for a well cooled GPU. `capped_at` is the share of its power limit at
    which the software cap holds it, `clock_share` what it reaches of its clock for no reason that
    it gives, `limit_after_w` the power limit that a load leaves behind. `errors_per_load` are
    memory errors that every load adds at its beginning and at its end, `old_errors` those from
    before the driver was loaded, by nvidia-smi's names.
    """

    braked: Brake = ""
    margin_c: int | None = None
    capped_at: float | None = None
    clock_share: float = 1.0
    limit_after_w: float | None = None
    errors_per_load: dict[str, int] = field(default_factory=dict)
    old_errors: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A GPU at one moment. `reasons` are why its clock is not higher, by nvidia-smi's names."""

    clock_mhz: int
    draw_w: float
    temperature_c: int
    margin_c: int
    reasons: frozenset[str]


def running(world: World, gpu: GpuState, *, busy: bool) -> Running:
    """Clock, power and heat of a GPU that is idle or loaded."""
    product = world.product
    margin = _margin(world, gpu, busy=busy)
    share = clock_share(gpu, busy=busy)
    scatter = world.noise(gpu.part, "draw", spread=0.05)
    draw = product.idle_w * scatter
    if busy and gpu.health.capped_at is not None:
        draw = gpu.limit_w * gpu.health.capped_at
    elif busy:
        draw = max(draw, gpu.limit_w * LOADED_SHARE * scatter * share)
    return Running(
        clock_mhz=round(product.boost_mhz * share) if busy else IDLE_MHZ,
        draw_w=draw,
        temperature_c=FULL_C - margin,
        margin_c=margin,
        reasons=_reasons(gpu.health, margin, busy=busy),
    )


def clock_share(gpu: GpuState, *, busy: bool = True) -> float:
    """What part of its highest clock a loaded GPU runs at."""
    health, shares = gpu.health, [gpu.health.clock_share]
    if _brakes(health, busy=busy):
        shares.append(BRAKED)
    if health.margin_c is not None and health.margin_c <= SOFTWARE_SLOWS_C:
        shares.append(HEATED if health.margin_c <= HARDWARE_SLOWS_C else WARMED)
    if health.capped_at is not None:
        shares.append(min(1.0, health.capped_at / LOADED_SHARE))
    return min(shares)


def collective_share(gpu: GpuState) -> float:
    """What part of their bandwidth collectives reach at the GPU's clock."""
    return min(1.0, clock_share(gpu) / COLLECTIVES_NEED)


def strain(gpu: GpuState, *, ended: bool) -> None:
    """A load begins or ends: memory that fails under load has failed again."""
    if ended and gpu.health.limit_after_w is not None:
        gpu.limit_w = gpu.health.limit_after_w
    for name, count in gpu.health.errors_per_load.items():
        gpu.ecc[name] = gpu.ecc.get(name, 0) + count


def _margin(world: World, gpu: GpuState, *, busy: bool) -> int:
    if busy and gpu.health.margin_c is not None:
        return gpu.health.margin_c
    scatter = world.noise(gpu.part, "heat", spread=0.08)
    return FULL_C - round((LOADED_C if busy else IDLE_C) * scatter)


def _brakes(health: Health, *, busy: bool) -> bool:
    return health.braked == "always" or (busy and health.braked == "loaded")


def _reasons(health: Health, margin: int, *, busy: bool) -> frozenset[str]:
    found = set() if busy else {"gpu_idle"}
    if _brakes(health, busy=busy):
        found |= {"hw_slowdown", "hw_power_brake_slowdown"}
    if margin <= HARDWARE_SLOWS_C:
        found |= {"hw_slowdown", "hw_thermal_slowdown"}
    elif margin <= SOFTWARE_SLOWS_C:
        found.add("sw_thermal_slowdown")
    if busy and health.capped_at is not None:
        found.add("sw_power_cap")
    return frozenset(found)
