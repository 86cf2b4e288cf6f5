"""The GID of a RoCE port: routable at the site's index, and still there after the load."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import RackError
from fixtures.tools.binding.nic_setup import NicSetup
from fixtures.tools.rdma.loaded_ports import LoadedPorts
from fixtures.tools.rdma.pair_run import PairRun
from fixtures.tools.rdma.perftest_pair import HARDWARE
from tests.areas.answers import answer, facts, shipped

HOST = shipped("roce4").hosts["n1"]
NIC, OTHER = HOST.nics[0], replace(HOST.nics[0], part="n2/mlx5_0")
SYSFS = "/sys/class/infiniband/mlx5_0/ports/1"
GID = "0000:0000:0000:0000:0000:ffff:0a00:0101"


def state(*gids: str) -> str | None:
    """What stands at index 3 of a port with this table, as `ibv_devinfo -v` shows it."""
    head = "hca_id:\tmlx5_0\n\tphys_port_cnt:\t1\n\t\tport:\t1\n\t\t\tstate:\tPORT_ACTIVE (4)\n"
    table = "".join(f"\t\t\tGID[{gid}\n" for gid in gids)
    shown = facts(HOST, {
        "ib-sysfs": answer(f"{SYSFS}/state:4: ACTIVE\n{SYSFS}/link_layer:Ethernet\n"),
        "ibv-devinfo": answer(head + table),
    })  # fmt: skip
    return NicSetup(shown).gid_state(shown.ports[0])


def test_the_index_of_the_inventory_is_routable() -> None:
    assert state("  3]:\t\t::ffff:10.0.1.1, RoCE v2") == "RoCE v2"


@pytest.mark.parametrize(
    ("gids", "says"),
    [
        (("  5]:\t\t::ffff:10.0.1.1, RoCE v2",), "nothing at index 3; RoCE v2 is at 5"),
        (("  3]:\t\t::ffff:10.0.1.1, RoCE v1",), "::ffff:10.0.1.1 RoCE v1 at index 3; no RoCE v2"),
        (("  3]:\t\tfe80::1, RoCE v2",), "fe80::1 RoCE v2 at index 3; no RoCE v2 at all"),
        ((), "nothing at index 3; no RoCE v2 at all"),
    ],
)
def test_another_table_says_what_is_there(gids: tuple[str, ...], says: str) -> None:
    assert says in str(state(*gids))


def run(before: str, after: str) -> PairRun:
    """A transfer from the other host, with what stood at the receiver's index."""
    shown = {"before": before, "after": after}
    lines = {when: answer(f"{SYSFS}/gids/3:{gid}\n") for when, gid in shown.items()}
    return PairRun(
        {f"server-{when}": one for when, one in lines.items()}, HARDWARE, (OTHER, NIC), 1
    )


def test_a_gid_that_goes_in_any_transfer_is_told() -> None:
    none = ":".join(["0000"] * 8)
    kept, gone = run(GID, GID), run(GID, none)
    assert LoadedPorts([kept]).gids_kept([NIC.port]) == {NIC.port: "kept"}
    told = LoadedPorts([kept, gone]).gids_kept([NIC.port])[NIC.port]
    assert told == f"{GID} before, none after"
    assert isinstance(LoadedPorts([PairRun({}, HARDWARE, (OTHER, NIC), 1)]).gids_kept([NIC.port])
                      [NIC.port], (RackError, type(None)))  # fmt: skip
