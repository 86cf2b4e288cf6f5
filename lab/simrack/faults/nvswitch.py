"""Faults of switch trays, their chips and their ports to GPUs; and errors that links count."""

from __future__ import annotations

from lab.simrack.faults.changes import link_of, number
from lab.simrack.faults.declare import Change, Fault, Params, Target, incomplete, rejected
from lab.simrack.faults.nvlink import SLOWED
from lab.simrack.links import End, Link

LOST = f"nvlink.links_active nvlink.inactive_links fabric.health {SLOWED}"
MENDS, PER_GIB = 505, 0.75
"""Recoveries before the run, and for each GiB of it (marin-community/marin issue #9086: three in
twenty minutes)."""


def _near(target: Target, params: Params) -> End:
    return target.the_gpu.links[link_of(target, params)].near


def _recovers(target: Target, params: Params) -> None:
    end = _near(target, params)
    end.errors["recovery"] = int(number(params, "count"))
    end.rates["recovery"] = number(params, "per_gib")


def _counts(*names: str) -> Change:
    def change(target: Target, params: Params) -> None:
        rates = dict.fromkeys(names, number(params, "per_gib"))
        _near(target, params).rates.update(rates)

    return change


def _cleared(target: Target, params: Params) -> None:
    """Somebody clears the counters while they are read: what had been counted is gone."""
    end = _near(target, params)
    end.errors |= {"crc": 40, "replay": 40, "recovery": 3}
    end.rates |= {"crc": -4.0, "replay": -4.0}


def _dead_tray(target: Target, _: Params) -> None:
    target.host.reach = "refused"
    for link in _links(target):
        link.up = False


def _dead_chip(target: Target, params: Params) -> None:
    number_ = int(number(params, "chip"))
    target.host.switch.dead_chips.add(number_)
    for link in _links(target):
        if link.far.chip == number_:
            link.up = False


def _links(target: Target) -> list[Link]:
    return list(target.world.nvlinks.ports.get(target.host.name, {}).values())


def _held(target: Target, _: Params) -> None:
    target.the_end.active = False


def _narrow(target: Target, _: Params) -> None:
    target.the_cable.lanes = 1


def _image(target: Target, params: Params) -> None:
    target.host.switch.image = params["version"]


def _firmware(target: Target, params: Params) -> None:
    target.host.switch.chip_firmware = params["version"]


def _serial(target: Target, _: Params) -> None:
    target.host.serial = "MT2530X00001"


COUNTED: tuple[Fault, ...] = (
    rejected(
        "nvlink.recovers", "link", _recovers,
        "an NVLink heals itself again and again, and again under load (of a GPU: that of `link`)",
        sees="nvlink.error_counters_delta nvlink.recoveries", names="gpu", cases="C07",
        params={"link": "14", "count": str(MENDS), "per_gib": str(PER_GIB)},
    ),
    rejected(
        "nvlink.recovered_often", "link", _recovers,
        "an NVLink has healed itself far more often than all others, not in this hour",
        sees="nvlink.recoveries", names="gpu", cases="C07",
        params={"link": "14", "count": str(MENDS), "per_gib": "0"},
    ),
    rejected(
        "nvlink.crc_errors", "link", _counts("crc", "replay"),
        "an NVLink damages what it carries, and sends it again",
        sees="nvlink.error_counters_delta", names="gpu", cases="C07",
        params={"link": "0", "per_gib": "9"},
    ),
    rejected(
        "nvlink.symbol_errors", "link", _counts("symbol", "effective"),
        "an NVLink has more bit errors than its error correction takes",
        sees="nvlink.symbol_ber nvlink.effective_ber", names="gpu", fabric=True, cases="C07",
        params={"link": "0", "per_gib": "9"},
    ),
    incomplete(
        "nvlink.counters_cleared", "gpu", _cleared,
        "somebody clears the NVLinks' error counters while they are loaded",
        sees="nvlink.error_counters_delta", reason="counter-reset", cases="C42",
        params={"link": "0"},
    ),
)  # fmt: skip
SWITCHES: tuple[Fault, ...] = (
    rejected(
        "nvswitch.dead", "switch-tray", _dead_tray,
        "a switch tray is dead: no answer, and two links of every GPU of its rack are down",
        sees="nvlink.links_active nvlink.inactive_links",
        also=f"nvlink.planned_trunks_up_pct {LOST}", cases="C07 C11",
    ),
    rejected(
        "nvswitch.dead_chip", "switch-tray", _dead_chip,
        "a chip of a switch tray is dead: one link of every GPU of its rack is down",
        sees="nvlink.tray_chips nvlink.access_ports nvlink.links_active",
        also=f"nvlink.switch_asics {LOST}", cases="C07 C11",
        params={"chip": "2"},
    ),
    rejected(
        "nvswitch.port_inactive", "switch-port", _held,
        "a port of a switch tray has trained and forwards nothing; its GPU takes the link for well",
        sees="nvlink.one_sided_ports", also=SLOWED, of="nvlink", cases="C07",
    ),
    rejected(
        "nvswitch.port_narrow", "switch-port", _narrow,
        "a port of a switch tray runs on one lane; its GPU prints the full rate",
        sees="nvlink.access_port_rate", also=SLOWED, of="nvlink",
    ),
    rejected(
        "nvswitch.wrong_image", "switch-tray", _image,
        "the switch tray runs an NVOS that the inventory does not allow",
        sees="identity.nvos", cases="C05", params={"version": "25.02.1884"},
    ),
    rejected(
        "nvswitch.wrong_firmware", "switch-tray", _firmware,
        "the chips of the switch tray run a firmware that the inventory does not allow",
        sees="identity.switch_chip_firmware", cases="C05", params={"version": "35.2013.3042"},
    ),
    rejected(
        "nvswitch.wrong_serial", "switch-tray", _serial, "another switch tray is in this place",
        sees="identity.switch_serial", cases="C30",
    ),
)  # fmt: skip
NVSWITCH = (*COUNTED, *SWITCHES)
