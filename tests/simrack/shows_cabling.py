"""How faults of cables, leaves, spines and of the subnet manager look to the suite's readers."""

from __future__ import annotations

from collections.abc import Mapping

from tests.simrack import probes as ask
from tests.simrack.probes import Probe, of_cable, of_subnet, raises

CABLING: Mapping[str, Probe] = {
    "cable.missing": of_cable(
        lambda net, link: net.cabled()[link] == "no link" and net.states()[link] == "Down/Polling"
    ),
    "cable.swapped": of_cable(lambda net, link: str(net.cabled()[link]).startswith("swapped with")),
    "cable.rail_crossed": of_cable(lambda net, link: "swapped with" in str(net.cabled()[link])),
    "uplink.missing": of_cable(
        lambda net, link: net.cabled()[link] == "no link" and net.states()[link] == "Down/Polling"
    ),
    "uplink.swapped": of_cable(lambda net, link: "swapped with" in str(net.cabled()[link])),
    "uplink.slow": of_cable(lambda net, link: net.lane_speeds()[link] == 53.125),
    "uplink.narrow": of_cable(
        lambda net, link: (net.widths()[link], net.lane_speeds()[link]) == ("2X", 106.25)
    ),
    "cable.noisy": lambda rack, at: ask.errors(rack, at, "SymbolErrorCounter") >= 2,
    "cable.high_ber": lambda rack, at: (ask.raw_ber(rack, at) or 0) > 1e-7,
    "leaf_port.noisy": lambda rack, at: ask.errors(rack, at, "SymbolErrorCounter") > 0,
    "uplink.noisy": lambda rack, at: ask.errors(rack, at, "SymbolErrorCounter") >= 2,
    "uplink.saturated": lambda rack, at: ask.errors(rack, at, "SymbolErrorCounter") == 65535,
    "uplink.old_errors": lambda rack, at: ask.errors(rack, at, "LinkDownedCounter") == 28,
    "cable.extra": of_subnet(lambda net, at: f"{at}/63" in str(net.extra_links()[at])),
    "leaf.dead": of_subnet(lambda net, at: net.switches()[at] == "missing"),
    "spine.dead": of_subnet(lambda net, at: net.switches()[at] == "missing"),
    "manager.silent": of_subnet(lambda net, _: net.manager() == "no answer"),
    "manager.standby": of_subnet(lambda net, _: net.manager() == "STANDBY"),
    "manager.static_routing": of_subnet(lambda net, _: net.adaptive_routing().startswith("0 of ")),
    "manager.too_old": raises(
        "tool-failed", lambda rack, _: ask.bandwidth(rack, "r01-ct02/mlx5_1/1")
    ),
}
