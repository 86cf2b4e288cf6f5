"""Faults of trunks, the cables between the switch trays of two racks."""

from __future__ import annotations

from lab.simrack.faults.changes import number
from lab.simrack.faults.declare import Fault, Params, Target, rejected

SLOWED = "nccl.all_reduce_busbw nccl.all_reduce_ratio"
OLD_ERRORS = 400_000
"""Bit errors left of 10^15 received bits: far above what a trunk may have."""


def _down(target: Target, _: Params) -> None:
    target.the_cable.up = False


def _slow(target: Target, params: Params) -> None:
    target.the_cable.share = number(params, "factor")


def _erring(target: Target, params: Params) -> None:
    for end in (target.the_cable.near, target.the_cable.far):
        end.errors["effective"] = int(number(params, "count"))


def _flaps(target: Target, params: Params) -> None:
    for end in (target.the_cable.near, target.the_cable.far):
        end.errors["downed"] = 3
        end.moves["downed"] = int(number(params, "count"))


def _cut_off(target: Target, _: Params) -> None:
    for trunk in target.world.nvlinks.trunks_of(target.host.rack):
        trunk.up = False


TRUNKS: tuple[Fault, ...] = (
    rejected(
        "trunk.down", "cable", _down, "a trunk between two racks is down",
        sees="nvlink.planned_trunks_up_pct", also=SLOWED, names="cable", of="trunk",
    ),
    rejected(
        "trunk.slow", "cable", _slow, "a trunk between two racks trained to half of its rate",
        sees="nvlink.trunk_rate", also=SLOWED, names="cable", of="trunk",
        params={"factor": "0.5"},
    ),
    rejected(
        "trunk.erring", "cable", _erring, "a trunk between two racks has many bit errors",
        sees="nvlink.trunk_effective_ber", names="cable", cases="C49", of="trunk",
        params={"count": str(OLD_ERRORS)},
    ),
    rejected(
        "trunk.flaps", "cable", _flaps,
        "a trunk between two racks goes down and comes back while GPUs work",
        sees="nvlink.trunk_link_downed_delta", names="cable", cases="C42 C51", of="trunk",
        params={"count": "1"},
    ),
    rejected(
        "trunk.rack_cut_off", "switch-tray", _cut_off,
        "all trunks of a rack are down: it reaches no other rack over NVLink",
        sees="nvlink.planned_trunks_up_pct nccl.all_reduce_ratio",
        also=f"{SLOWED} nccl.scale_ratio nccl.all_gather_busbw nccl.all_to_all_busbw",
        names="rack", of="trunk", cases="C82",
    ),
)  # fmt: skip
