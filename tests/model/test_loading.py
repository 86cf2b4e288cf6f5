"""What a loaded inventory says, and that every embedded one loads."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.inventory_schema import expand, is_name, normal_guid, normal_pci
from fixtures.model.lab import LabEndpoints
from fixtures.model.loading import known_inventories, load_inventory
from tests.model.tiny import Edit, load

INVENTORIES = Path(__file__).parents[2] / "inventories"


@pytest.mark.parametrize("name", known_inventories(INVENTORIES))
def test_an_embedded_inventory_loads_and_is_marked_as_a_lab(name: str) -> None:
    inventory = load_inventory(name, INVENTORIES)
    assert inventory.lab in ("simrack", "softroce")
    assert inventory.gates == inventory.profile.gates
    assert inventory.gates_left_out == ()


def test_hosts_have_what_their_group_and_their_row_say(tmp_path: Path) -> None:
    inventory = load(tmp_path)
    assert list(inventory.hosts) == ["ct1", "ct2", "sw1"]
    one, two, switch = inventory.hosts.values()
    assert (one.serial, one.label, one.rack, one.sudo) == ("S1", "slot 1", "k1", False)
    assert (one.address, one.port, one.peer_address) == ("127.9.0.1", 0, "10.0.0.1")
    assert (two.address, two.port, two.peer_address) == ("127.9.0.2", 2222, "127.9.0.2")
    assert (switch.kind, switch.os, switch.sudo, switch.gpus) == ("switch", "nvos", True, ())
    assert [tray.name for tray in inventory.trays] == ["ct1", "ct2"]


def test_slots_have_labels_serials_and_guids_where_there_is_a_row(tmp_path: Path) -> None:
    one, two, _ = load(tmp_path).hosts.values()
    assert [(gpu.part, gpu.pci, gpu.serial, gpu.label) for gpu in one.gpus] == [
        ("ct1/gpu0", "0000:01:00.0", "M1", "module 2"),
        ("ct1/gpu1", "0000:02:00.0", "M1", "module 1"),
    ]
    assert [gpu.label for gpu in two.gpus] == ["gpu0", "gpu1"]
    assert [(nic.port, nic.rail, nic.link_layer, nic.gid_index, nic.guid) for nic in one.nics] == [
        ("ct1/mlx5_0/1", 0, "infiniband", None, "b8e9240300000100"),
        ("ct1/mlx5_1/1", 1, "ethernet", 3, "b8e9240300000101"),
    ]
    assert [nic.guid for nic in two.nics] == ["", ""]


def test_versions_stay_text(tmp_path: Path) -> None:
    firmware = load(tmp_path).firmware
    assert (firmware.kernel, firmware.nic) == (["6.10"], ["28.45.1200", "28.46.1"])
    assert firmware.vbios == []


def test_a_subject_consists_of_hosts(tmp_path: Path) -> None:
    inventory = load(tmp_path)
    assert inventory.members("tiny") == inventory.members("k1") == ("ct1", "ct2")
    assert inventory.members("ct1/mlx5_0/1->ct2/mlx5_0/1") == ("ct1", "ct2")
    assert inventory.members("ct1/gpu0->ct1/gpu1") == ("ct1",)


def test_serials_and_labels_of_parts(tmp_path: Path) -> None:
    more = Edit("tiny.yaml", "mlx5_0: {rail: 0}", "mlx5_0: {rail: 0}\n      mlx5_10: {rail: 2}")
    row = Edit("tiny/parts.csv", "", "ct1/mlx5_10/1,OSFP 11,,,,,\n")
    three = Edit("profiles/small.yaml", "nics_per_tray: {equals: 2", "nics_per_tray: {equals: 3")
    inventory = load(tmp_path, more, row, three)
    assert [inventory.serial_of(part) for part in ("ct1", "ct1/gpu0", "ct1/mlx5_0", "zz")] == [
        "S1", "M1", "", "",
    ]  # fmt: skip
    assert inventory.label_of("ct1") == "slot 1"
    assert inventory.label_of("ct1/gpu0/link5") == "slot 1 module 2"
    assert inventory.label_of("ct1/mlx5_1/1") == "slot 1 OSFP 2"
    assert inventory.label_of("ct1/mlx5_10/1") == "slot 1 OSFP 11"
    assert inventory.label_of("leaf1/1") == "leaf1/1"


def test_knows_its_parts(tmp_path: Path) -> None:
    inventory = load(tmp_path)
    for part in ("tiny", "k1", "ct1", "ct1/gpu1", "ct1/gpu1/link5", "ct1/mlx5_0/1", "sw1/acp17"):
        assert inventory.knows(part), part
    for part in (
        "tinny",
        "ct3",
        "ct1/gpu2",
        "ct1/gpu",
        "leaf1/1",
        "sw1/",
        "sw1/a b",
        "",
        "k1/gpu0",
    ):
        assert not inventory.knows(part), part


def test_a_lab_says_where_its_hosts_are(tmp_path: Path) -> None:
    lab = LabEndpoints(
        endpoints={"ct1": ("127.0.0.1", 7)}, known_hosts=Path("k"), user="u", key=Path("i")
    )
    moved = load(tmp_path).at(lab)
    assert (moved.hosts["ct1"].address, moved.hosts["ct1"].port) == ("127.0.0.1", 7)
    assert moved.hosts["ct1"].peer_address == "10.0.0.1"
    assert moved.hosts["ct2"].port == 2222
    assert (moved.ssh.user, moved.ssh.key, moved.ssh.known_hosts) == ("u", "i", "k")


@pytest.mark.parametrize(
    ("product", "markers"),
    [("nvl576", ("nvl576", "nvl72")), ("nvl72", ("nvl72",)), ("hgx", ("hgx",)), ("rdma-hosts", ())],
)
def test_a_product_answers_to_what_it_contains(
    tmp_path: Path, product: str, markers: tuple[str, ...]
) -> None:
    edit = Edit("tiny.yaml", "product: nvl72", f"product: {product}")
    assert load(tmp_path, edit).products == markers


def test_a_site_may_leave_gates_out_and_they_are_named(tmp_path: Path) -> None:
    inventory = load(
        tmp_path, Edit("tiny.yaml", "policy:", "acceptance: {gates: [compute]}\npolicy:")
    )
    assert (inventory.gates, inventory.gates_left_out) == (("compute",), ("reach",))


def test_an_absent_policy_means_look_and_do_not_touch(tmp_path: Path) -> None:
    edit = Edit("tiny.yaml", "policy: {max_effect: load, never: [sw1/acp1, leaf1/2]}\n", "")
    policy = load(tmp_path, edit).policy
    assert (policy.max_effect, policy.whole_domain_load, policy.disrupt) == ("observe", False, [])


def test_tables_from_a_spreadsheet_load(tmp_path: Path) -> None:
    """A byte order mark, CRLF, a quoted line break, and rows that are empty but for commas."""
    header = Edit("tiny/parts.csv", "part,label", "\ufeffpart,label")
    empty = Edit("tiny/parts.csv", "", ',,,,,,\n   \nct2/gpu1,"module\n1",,,,,\n')
    inventory = load(tmp_path, header, empty)
    assert inventory.label_of("ct2/gpu1") == "slot 2 module\n1"


@given(st.text(max_size=20) | st.text("ab01-[]/,!&^@*?%x{} ", max_size=12))
def test_a_host_range_gives_names_or_a_reason(text: str) -> None:
    with contextlib.suppress(ValueError):
        names = expand(text)
        assert names
        assert all(is_name(name) for name in names)


def test_a_host_range_is_what_operators_write() -> None:
    assert expand("r[01-02]-ct[1-2]") == ["r01-ct1", "r01-ct2", "r02-ct1", "r02-ct2"]
    assert expand("b,a,b") == ["a", "b"]
    assert expand("r[1-5/2]!r3") == ["r1", "r5"]


def test_addresses_have_one_spelling() -> None:
    assert normal_pci("00000008:01:00.0") == normal_pci("0008:01:00.0") == "0008:01:00.0"
    assert normal_pci("0001FFFF:01:00.0") == "0001ffff:01:00.0"
    assert normal_guid("0x506B:4b03:005c:2740") == normal_guid("506b4b03005c2740")
