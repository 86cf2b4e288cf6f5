"""Faults of NICs and of their ports: what they are, how their links trained, and who swept them."""

from __future__ import annotations

from lab.simrack.faults.changes import number, port
from lab.simrack.faults.declare import Fault, Params, Target, rejected
from lab.simrack.faults.naming import next_tray

NO_LINK = "port.phys_state port.rate port.width"
NO_LID = "port.lid port.sm_lid"
NO_CABLE = "link.cabled link.state"


def _rate(target: Target, params: Params) -> None:
    target.the_port.rate_gbps = int(number(params, "gbps"))


def _narrow(target: Target, params: Params) -> None:
    """Half of the lanes, at the rate that they had."""
    lanes = int(number(params, "lanes"))
    target.the_port.rate_gbps = target.the_port.rate_gbps * lanes // target.the_port.width
    target.the_port.width = lanes


def _sm(target: Target, params: Params) -> None:
    target.the_port.sm_lid = int(number(params, "lid"))


def _guid(target: Target, params: Params) -> None:
    target.the_port.guid = params["guid"]


def _swapped(target: Target, _: Params) -> None:
    """With the NIC of the same slot in the next tray."""
    other = target.world.hosts[next_tray(target.world, target.host.name)]
    twin = other.ports[target.host.ports.index(target.the_port)]
    target.the_port.guid, twin.guid = twin.guid, target.the_port.guid


def _firmware(target: Target, params: Params) -> None:
    target.the_port.firmware = params["version"]


INFINIBAND: tuple[Fault, ...] = (
    rejected(
        "port.down", "port", port(state="DOWN", phys="Polling"), "the port is DOWN and polling",
        sees="port.state port.phys_state", also=f"{NO_LINK} {NO_LID} {NO_CABLE}", cases="C51",
    ),
    rejected(
        "port.disabled", "port", port(state="DOWN", phys="Disabled"), "somebody disabled the port",
        sees="port.state port.phys_state", also=f"{NO_LINK} {NO_LID} {NO_CABLE}", cases="C113",
    ),
    rejected(
        "port.initializing", "port", port(state="INIT"),
        "the link is up, and no subnet manager has swept the port",
        sees="port.state port.lid port.sm_lid", also="link.state", cases="C37",
    ),
    rejected(
        "port.armed", "port", port(state="ARMED"),
        "the subnet manager has configured the port and not brought it up",
        sees="port.state", also="link.state", cases="C51",
    ),
    rejected(
        "port.wrong_rate", "port", _rate, "the port trained to another rate, with all its lanes",
        sees="port.rate port.lane_speed", also="rdma.write_bw", cases="C34 C35",
        params={"gbps": "200"},
    ),
    rejected(
        "port.narrow", "port", _narrow, "the port trained with a part of its lanes",
        sees="port.width port.rate link.width", also="rdma.write_bw", cases="C47 C66",
        params={"lanes": "2"},
    ),
    rejected(
        "port.wrong_link_layer", "port",
        port(link_layer="ethernet", state="DOWN", phys="Disabled", rate_gbps=40),
        "the port is set to Ethernet", sees="port.state port.rate port.lid port.sm_lid",
        also=f"{NO_LINK} {NO_CABLE}", cases="C35",
    ),
    rejected(
        "port.other_sm", "port", _sm, "the port belongs to another subnet manager than the others",
        sees="port.sm_lid", cases="C38", params={"lid": "97"},
    ),
    rejected(
        "nic.missing", "port", port(present=False), "the NIC is not there",
        sees="identity.port_guid", names="nic", cases="C85",
    ),
    rejected(
        "nic.wrong_guid", "port", _guid, "another NIC is in this slot",
        sees="identity.port_guid", names="nic", cases="C29 C162",
        params={"guid": "b8e9240399990001"},
    ),
    rejected(
        "nic.swapped", "port", _swapped, "the NIC and that of the next tray have changed places",
        sees="identity.port_guid", names="swapped", cases="C46", extra=1,
    ),
    rejected(
        "nic.wrong_firmware", "port", _firmware, "the NIC runs other firmware than the site allows",
        sees="identity.nic_firmware", names="nic", cases="C54", params={"version": "28.36.1010"},
    ),
)  # fmt: skip
