"""How faults of switch trays, and errors that links count, look to the suite's readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from fixtures.model.errors import RackError
from fixtures.model.parts import host_of
from fixtures.tools.binding.link_counters import Window, by_gpu, recoveries
from fixtures.tools.binding.switch_facts import SwitchFacts
from fixtures.tools.nvlink import imex_ctl, imex_setup, nvbandwidth, nvlink_errors
from fixtures.tools.nvlink.imex_domain import Domain
from fixtures.tools.nvlink.nvos_interface import Interface
from tests.simrack import probes as ask
from tests.simrack.bench import Bench
from tests.simrack.probes import Probe

COUNTERS = nvlink_errors.command()


def switch(question: Callable[[SwitchFacts], bool]) -> Probe:
    return lambda rack, part: question(SwitchFacts(ask.facts(rack, part)))


def moved(rack: Bench, part: str) -> Window:
    """The links of a part's GPU round a run of copies."""
    slot = ask.slot(rack, part)
    uuid = str(slot.device.uuid)
    before = by_gpu(rack.result(host_of(part), COUNTERS))[uuid]
    rack.run(host_of(part), *nvbandwidth.command(ask.D2D).argv)
    after = by_gpu(rack.result(host_of(part), replace(COUNTERS, key="load/nvlink-e")))[uuid]
    return Window(part=slot.part, before=before, after=after)


def errors(rack: Bench, part: str) -> int:
    found = moved(rack, part)
    count = found.errors()[found.part]
    return count if isinstance(count, int) else -1


def counted(rack: Bench, part: str) -> int:
    """The most that a link of the part's GPU has recovered."""
    slot = ask.slot(rack, part)
    links = by_gpu(rack.result(host_of(part), COUNTERS))[str(slot.device.uuid)]
    return max(recoveries(links, slot.part).values())


def reset(rack: Bench, part: str) -> bool:
    return any(
        isinstance(one, RackError) and one.why == "counter-reset"
        for one in moved(rack, part).errors().values()
    )


def port(rack: Bench, part: str) -> tuple[bool | None, float | None]:
    """Whether a port of a switch tray is up, and its rate."""
    found = SwitchFacts(ask.facts(rack, part)).ports[part.partition("/")[2]]
    return found.up, found.speed_gbps


NVSWITCH: Mapping[str, Probe] = {
    "nvlink.recovers": lambda rack, at: counted(rack, at) == 505 and errors(rack, at) == 2,
    "nvlink.recovered_often": lambda rack, at: counted(rack, at) == 505 and not errors(rack, at),
    "nvlink.crc_errors": lambda rack, at: errors(rack, at) > 20,
    "nvlink.symbol_errors": lambda rack, at: len(moved(rack, at).ratios("symbol_errors")) == 2,
    "nvlink.counters_cleared": reset,
    "nvswitch.dead": lambda rack, at: rack.site.machines[at].state.reach == "refused",
    "nvswitch.dead_chip": switch(
        lambda facts: (facts.chips, len(facts.access)) == (1, 72)
    ),
    "nvswitch.port_inactive": lambda rack, at: port(rack, at) == (False, 400),
    "nvswitch.port_narrow": lambda rack, at: port(rack, at) == (True, 200),
    "nvswitch.wrong_image": switch(lambda facts: facts.image == "25.02.1884"),
    "nvswitch.wrong_firmware": switch(lambda facts: facts.chip_firmware == "35.2013.3042"),
    "nvswitch.wrong_serial": switch(lambda facts: facts.serial == "MT2530X00001"),
}  # fmt: skip


def imex(rack: Bench, tray: str) -> Domain:
    """What a tray says of the IMEX domain that it is in."""
    domain: Domain = imex_ctl.read(rack.result(tray, imex_ctl.command()))
    return domain


def nodes(rack: Bench, tray: str) -> tuple[str, ...]:
    return imex_setup.read_nodes(ask.facts(rack, tray).result("imex-nodes"))


def others(rack: Bench, tray: str) -> Domain:
    return imex(rack, next(one.name for one in rack.inventory.trays if one.name != tray))


IMEX: Mapping[str, Probe] = {
    "imex.stale_address": lambda rack, at: "10.0.3.41" in nodes(rack, at),
    "imex.duplicate_number": lambda rack, at: len(others(rack, at).nodes) == 17,
    "imex.split": lambda rack, at: (len(imex(rack, at).nodes), imex(rack, at).up) == (9, True),
    "imex.wrong_version": lambda rack, at: {node.version for node in others(rack, at).nodes}
    == {"580.95.05", "580.65.06"},
    "imex.no_channels": lambda rack, at: not imex_setup.read_channels(
        ask.facts(rack, at).result("imex-channels")
    ),
}  # fmt: skip


def trunk(rack: Bench, cable: str, *, loaded: bool = False) -> Interface:
    """A trunk as its first end's switch tray shows it, after a load on its rack where one is."""
    end = next(one for one in rack.inventory.plan.cables if f"cable:{one.id}" == cable).ends[0]
    tray, _, name = end.partition("/")
    if loaded:
        compute = rack.inventory.members(rack.inventory.hosts[tray].rack)[0]
        rack.run(compute, *nvbandwidth.command(ask.D2D).argv)
    return SwitchFacts(ask.facts(rack, tray)).ports[name]


def trunks_up(rack: Bench, tray: str) -> set[bool | None]:
    ports = SwitchFacts(ask.facts(rack, tray)).ports.values()
    return {port.up for port in ports if port.name and port.name.startswith("sw")}


TRUNKS: Mapping[str, Probe] = {
    "trunk.down": lambda rack, at: not trunk(rack, at).up,
    "trunk.slow": lambda rack, at: trunk(rack, at).speed_gbps == 200,
    "trunk.erring": lambda rack, at: (trunk(rack, at).effective_ber or 0) > 1e-10,
    "trunk.flaps": lambda rack, at: trunk(rack, at, loaded=True).counters["link-downed"] == 4,
    "trunk.rack_cut_off": lambda rack, at: trunks_up(rack, at) == {False},
}
