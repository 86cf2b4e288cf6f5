"""Every slip in an inventory or its tables is refused before a host is touched, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.loading import load_inventory
from tests.model.tiny import Edit, refusal, write

YAML, PARTS, CABLES, SMALL = (
    "tiny.yaml", "tiny/parts.csv", "tiny/cables.csv", "profiles/small.yaml",
)  # fmt: skip


def yaml(old: str, new: str) -> Edit:
    return Edit(YAML, old, new)


def parts(old: str, new: str) -> Edit:
    return Edit(PARTS, old, new)


def cables(old: str, new: str) -> Edit:
    return Edit(CABLES, old, new)


MORE_HOSTS = "    sudo: true\n  - {names: 'sw[1-2]', kind: switch}\n"
MORE_RACKS = "racks:\n  - {name: k0, hosts: ct2}\n"

CASES: dict[str, tuple[Edit, str]] = {
    # the file against its schema
    "unknown key": (
        yaml("power:", "powr:"), "tiny.yaml:29:1: unknown key 'powr'; did you mean 'power'",
    ),
    "unknown inner key": (
        yaml("os: nvos", "oss: nvos"), "tiny.yaml:18:5: unknown key 'hosts.1.oss'; did you mean",
    ),
    "missing key": (yaml("profile: small\n", ""), "tiny.yaml:1:1: 'profile' is missing"),
    "schema of the future": (
        yaml("schema: 1", "schema: 2"), "tiny.yaml:1:1: schema: Input should be less than or equal",
    ),
    "leading zero": (
        yaml("gid_index: 3", "gid_index: 03"),
        "tiny.yaml:15:47: hosts.0.nics.mlx5_1.gid_index: expected a whole number like 10, with no "
        "sign and no leading zeros (found '03')",
    ),
    "a class on InfiniBand": (
        yaml("mlx5_0: {rail: 0}", "mlx5_0: {rail: 0, traffic_class: 106}"),
        "tiny.yaml:14:7: hosts.0.nics.mlx5_0: traffic_class is of RoCE: InfiniBand sorts by",
    ),
    "virtual functions on Ethernet": (
        yaml("gid_index: 3", "gid_index: 3, vfs: 2"),
        "tiny.yaml:15:7: hosts.0.nics.mlx5_1: vfs are judged by GUID and LID, which only",
    ),
    "no virtual functions": (
        yaml("mlx5_0: {rail: 0}", "mlx5_0: {rail: 0, vfs: 0}"),
        "tiny.yaml:14:25: hosts.0.nics.mlx5_0.vfs: Input should be greater than",
    ),
    "yes is no truth value": (
        yaml("sudo: true", "sudo: yes"),
        "tiny.yaml:19:5: hosts.1.sudo: expected true or false (found 'yes')",
    ),
    "product": (
        yaml("product: nvl72", "product: nvl73"),
        "tiny.yaml:3:1: product: Input should be 'nvl576', 'nvl72', 'hgx' or 'rdma-hosts' "
        "(found 'nvl73')",
    ),
    "groups": (
        yaml('names: "ct[1-2]"', 'names: "@all"'),
        "tiny.yaml:10:5: hosts.0.names: '@all': groups (@) and wildcards are not supported; write "
        "the names or ranges",
    ),
    "wildcards": (yaml('names: "ct[1-2]"', 'names: "ct*"'), "tiny.yaml:10:5: hosts.0.names: 'ct*'"),
    "no range": (
        yaml('names: "ct[1-2]"', 'names: "ct[1-"'),
        "tiny.yaml:10:5: hosts.0.names: 'ct[1-' is not a host range",
    ),
    "host name with a path": (
        yaml('names: "ct[1-2]"', 'names: "ct/1"'),
        "tiny.yaml:10:5: hosts.0.names: 'ct/1' gives no valid host name: ct/1",
    ),
    "PCI address": (
        yaml('"0000:02:00.0"', '"2:0"'),
        "tiny.yaml:12:34: hosts.0.gpus.gpu1: '2:0' is not a PCI address like 0008:01:00.0",
    ),
    "same PCI address": (
        yaml('"0000:02:00.0"', '"00000000:01:00.0"'),
        "tiny.yaml:10:5: hosts.0: gpu1 and gpu0 have the same PCI address 0000:01:00.0",
    ),
    "slot of two kinds": (
        yaml("mlx5_0: {rail: 0}", "gpu0: {rail: 0}"),
        "tiny.yaml:10:5: hosts.0: slot 'gpu0' is among gpus and nics",
    ),
    "slot with a path": (
        yaml("mlx5_0: {rail: 0}", "mlx5_0/1: {rail: 0}"),
        "tiny.yaml:14:7: hosts.0.nics.mlx5_0/1: 'mlx5_0/1' is not a name; use letters, digits",
    ),
    "switch with slots": (
        yaml("os: nvos", "nics: {m: {rail: 0}}"), "tiny.yaml:16:5: hosts.1: a switch has no gpus",
    ),
    "cluster UUID": (
        yaml("6F1D7C2E-4b0a", "6F1D7C2E-4b0"),
        "tiny.yaml:26:5: partitions.0.cluster_uuid: '6F1D7C2E-4b0-4d7e-9c15-000000000042' is not a",
    ),
    "word for partitions": (
        Edit(YAML, "partitions:\n", "partitions: nil\nunused:\n"),
        "tiny.yaml:23:1: partitions: Input should be 'none' (found 'nil')",
    ),
    "effect": (
        yaml("max_effect: load", "max_effect: destroy"),
        "tiny.yaml:30:10: policy.max_effect: Input should be 'observe', 'load' or 'disrupt'",
    ),
    "no handshakes at all": (
        yaml("lab: simrack", "lab: simrack\nssh: {handshakes_per_server: 0}"),
        "tiny.yaml:7:7: ssh.handshakes_per_server: Input should be greater than or equal to 1",
    ),
    "jump host with a user": (
        yaml("lab: simrack", "lab: simrack\nssh: {jump: [me@bastion]}"),
        "tiny.yaml:7:14: ssh.jump.0: 'me@bastion' is not a jump host of the form address or",
    ),
    # names that lead nowhere, or to two things
    "name of another file": (
        yaml("name: tiny", "name: tinny"),
        "tiny.yaml:2:1: name is 'tinny' but the file is tiny.yaml",
    ),
    "profile": (
        yaml("profile: small", "profile: smal"),
        "tiny.yaml:4:1: no profile 'smal' in profiles; did you mean 'small'?; there are:",
    ),
    "link profile": (
        yaml("link_profile: wire", "link_profile: fire"),
        "tiny.yaml:5:1: no profile 'fire' in profiles; did you mean 'wire'?",
    ),
    "profile of no product": (
        yaml("profile: small", "profile: base"),
        "tiny.yaml:4:1: profile base lists no gates, so that it accepts nothing",
    ),
    "host twice": (
        yaml("    sudo: true\n", MORE_HOSTS), "tiny.yaml:20:6: host 'sw1' is defined twice",
    ),
    "host in two racks": (
        yaml("racks:\n", MORE_RACKS), "tiny.yaml:23:5: ct2 is already in rack k0",
    ),
    "rack twice": (
        yaml("racks:\n", "racks:\n  - {name: k1, hosts: ct2}\n"),
        "tiny.yaml:22:5: rack 'k1' stands here again",
    ),
    "rack with an unknown host": (
        yaml('"ct[1-2],sw1"', '"ct[1-3],sw1"'),
        "tiny.yaml:22:5: rack k1: no host 'ct3' is defined; did you mean",
    ),
    "rack called like a host": (
        yaml("name: k1", "name: ct1"), "tiny.yaml:21:5: rack 'ct1' has the name of a host; rename",
    ),
    "rack called like the inventory": (
        yaml("name: k1", "name: tiny"), "tiny.yaml:21:5: rack 'tiny' has the name of the inventory",
    ),
    "host in no rack": (
        yaml('"ct[1-2],sw1"', "sw1"),
        "tiny.yaml:20:1: ct1 is in no rack, but profile small counts trays_per_rack; list",
    ),
    "partition with an unknown host": (
        yaml("  - name: p1\n", "  - {name: p0, hosts: ct9}\n  - name: p1\n"),
        "tiny.yaml:24:16: no host 'ct9' is defined; did you mean",
    ),
    "partitions overlap": (
        yaml("  - name: p1\n", "  - {name: p0, hosts: ct2}\n  - name: p1\n"),
        "tiny.yaml:26:5: ct2 is already in p0",
    ),
    "launcher head": (
        yaml("head: ct1", "head: ct01"),
        "tiny.yaml:31:12: no host 'ct01' is defined; did you mean 'ct1'",
    ),
    "observer": (
        yaml("host: ct1, ca", "host: ct7, ca"), "tiny.yaml:33:19: no host 'ct7' is defined; did",
    ),
    "gates of another profile": (
        yaml("policy:", "acceptance: {gates: [reach, nccl]}\npolicy:"),
        "tiny.yaml:30:14: profile small has no gate nccl; it has reach, compute",
    ),
    "no such gate": (
        yaml("policy:", "acceptance: {gates: [reech]}\npolicy:"),
        "tiny.yaml:30:22: acceptance.gates.0: Input should be 'power', 'reach'",
    ),
    "protected part with a slip": (
        yaml("never: [sw1/acp1,", "never: [swi/acp1,"),
        "tiny.yaml:30:36: no part 'swi/acp1' is known",
    ),
    "protected switch with a slip": (
        yaml("leaf1/2]", "leef1/2]"), "tiny.yaml:30:46: no part 'leef1/2' is known",
    ),
    # counts
    "count of a tray": (
        Edit(SMALL, "gpus_per_tray: {equals: 2", "gpus_per_tray: {equals: 4"),
        "tiny.yaml:9:1: ct1: gpus_per_tray is 2, but profile small says 4 (datasheet: the tray's",
    ),
    "count of a rack": (
        Edit(SMALL, "trays_per_rack: {equals: 2", "trays_per_rack: {equals: 18"),
        "tiny.yaml:9:1: k1: trays_per_rack is 2, but profile small says 18 (datasheet: the rack's",
    ),
    "count of the domain": (
        Edit(SMALL, "racks_per_domain: {equals: 1", "racks_per_domain: {equals: 8"),
        "tiny.yaml:9:1: tiny: racks_per_domain is 1, but profile small says 8",
    ),
    # parts
    "no row for a host": (
        parts("sw1,slot 9,S9,,127.9.0.3,,\n", ""),
        "tiny.yaml:16:5: tiny/parts.csv has no row for host sw1; add one with part sw1",
    ),
    "row of an unknown host": (
        parts("", "ct3,,,,,,\n"), "parts.csv:11: part ct3: no host 'ct3' is defined in tiny.yaml",
    ),
    "row of an unknown slot": (
        parts("", "ct1/gpu2,,,,,,\n"),
        "parts.csv:11: part ct1/gpu2: ct1 has no such slot in tiny.yaml; did you mean 'ct1/gpu",
    ),
    "row of a NIC instead of its port": (
        parts("ct1/mlx5_0/1,", "ct1/mlx5_0,"),
        "parts.csv:5: part ct1/mlx5_0: ct1 has no such slot in tiny.yaml; did you mean 'ct1/mlx",
    ),
    "row twice": (
        parts("", "sw1,,,,,,\n"),
        "parts.csv:11: part sw1 stands here again; first at tiny/parts.csv:10",
    ),
    "serial twice": (
        parts("S9", "S2"), "parts.csv:10: serial S2 of sw1 is also that of ct2 (tiny/parts.csv:7)",
    ),
    "GUID twice": (
        parts("b8e9240300000101", "b8e9240300000100"),
        "parts.csv:6: guid b8e9240300000100 of ct1/mlx5_1/1 is also that of ct1/mlx5_0/1",
    ),
    "GUID twice in another spelling": (
        parts("b8e9240300000101", "0xB8E9:2403:0000:0100"),
        "parts.csv:6: guid 0xB8E9:2403:0000:0100 of ct1/mlx5_1/1 is also that of ct1/mlx5_0/1",
    ),
    "no GUID": (
        parts("b8e9240300000101", "b8e92403"),
        "parts.csv:6: 'b8e92403' is not a GUID of 16 hexadecimal digits",
    ),
    "address twice": (
        parts("127.9.0.3,,", "127.9.0.1,,"),
        "parts.csv:10: address 127.9.0.1 of sw1 is also that of ct1 (tiny/parts.csv:2)",
    ),
    "address twice, port written out": (
        parts("127.9.0.3,,", "127.9.0.1,22,"), "parts.csv:10: address 127.9.0.1 of sw1 is also",
    ),
    "peer address twice": (
        parts("127.9.0.2,2222,", "127.9.0.2,2222,10.0.0.1"),
        "parts.csv:7: peer_address 10.0.0.1 of ct2 is also that of ct1",
    ),
    "TCP port": (parts("2222", "ssh"), "parts.csv:7: port 'ssh' is not a TCP port"),
    "unknown column": (
        parts("guid,address", "guid,adress"),
        "parts.csv:1: unknown column 'adress'; did you mean 'address'",
    ),
    "column twice": (
        parts("guid,address", "guid,guid"), "parts.csv:1: columns missing: none; each may stand",
    ),
    "no part column": (
        parts("part,label,serial", "serial,label,serial"), "parts.csv:1: columns missing: part",
    ),
    "semicolons": (
        Edit(CABLES, "cable,kind,a,b\n", "cable;kind;a;b\n"),
        "cables.csv:1: columns are separated by commas",
    ),
    "cell too many": (
        parts("", "sw1,a,b,c,d,e,f,g\n"), "parts.csv:11: 8 cells, but the header has 7",
    ),
    "part without a name": (parts("", ",x,,,,,\n"), "parts.csv:11: part is empty; every row needs"),
    "quote": (parts("", 'sw1,"a" b,,,,,\n'), "parts.csv:11: not a CSV table"),
    # cables
    "port twice": (
        cables("C2,host,ct2/mlx5_0/1,leaf1/2", "C2,host,ct2/mlx5_0/1,leaf1/1"),
        "cables.csv:3: port leaf1/1 is used twice: by C2 and by C1 (tiny/cables.csv:2)",
    ),
    "cable twice": (
        cables("C6,", "C5,"), "cables.csv:7: cable 'C5' stands here again; first at tiny/cab",
    ),
    "cable of an undefined host": (
        cables("C2,host,ct2/", "C2,host,ct3/"),
        "cables.csv:3: cable C2 ends at ct3/mlx5_0/1, but no host 'ct3' is defined; did you mean",
    ),
    "cable of an undefined port": (
        cables("ct2/mlx5_0/1", "ct2/mlx5_7/1"),
        "cables.csv:3: cable C2 ends at ct2/mlx5_7/1, but that host has no such port; did you mean",
    ),
    "trunk of an undefined switch": (
        cables("", "T1,trunk,sw1/a,sw2/a\n"),
        "cables.csv:8: cable T1 ends at sw2/a, but no host 'sw2' is defined; did you mean 'sw1'",
    ),
    "kind of cable": (
        cables("C6,fabric", "C6,fibre"),
        "cables.csv:7: kind is 'fibre'; expected host, trunk, fabric or management",
    ),
    "cable with one end": (
        cables("C6,fabric,leaf3/33,spine1/2", "C6,fabric,leaf3/33,spine1"),
        "cables.csv:7: a cable needs two ends of the form device/port; found leaf3/33, spine1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refuses(tmp_path: Path, name: str) -> None:
    edit, expected = CASES[name]
    said = refusal(tmp_path, edit)
    assert said.removeprefix("tiny/").startswith(expected), said


def test_lists_every_complaint_of_a_file_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, yaml("rail: 0", "rail: 00"), yaml("sudo: true", "sudo: yes"))
    assert [line.split(": ")[0] for line in said.splitlines()] == [
        "tiny.yaml:14:16",
        "tiny.yaml:19:5",
    ]


def test_an_unknown_name_lists_what_there_is(tmp_path: Path) -> None:
    for name in ("tinny", "tiny.yml", "", "x" * 5000):
        with pytest.raises(InventoryError) as caught:
            load_inventory(name, write(tmp_path))
        assert f"no inventory {name!r}" in str(caught.value)
        assert str(caught.value).endswith("has: tiny")
    with pytest.raises(InventoryError, match="'tinny'; did you mean 'tiny'"):
        load_inventory("tinny", tmp_path)


REAL = yaml("lab: simrack\n", "ssh: {key: id, known_hosts: hosts}\n")


@pytest.mark.parametrize(
    ("ssh", "expected"),
    [
        ("{}", "tiny.yaml:6:1: nothing to log in with; write `key: FILE`, or `agent: true`"),
        (
            "{key: none}",
            "tiny.yaml:6:7: the key file none does not exist; name one, or set `agent:",
        ),
        ("{key: ~nobody-here/id}", "tiny.yaml:6:7: the key file ~nobody-here/id does not exist"),
        (f"{{key: {'k' * 300}}}", "tiny.yaml:6:7: the key file kkk"),
        ("{agent: true}", "tiny.yaml:6:1: known_hosts '' does not exist; unknown host keys are"),
        ("{agent: true, known_hosts: none}", "tiny.yaml:6:20: known_hosts 'none' does not exist"),
        ("{password: secret}", "tiny.yaml:6:7: unknown key 'ssh.password'"),
        ("{key: -----BEGIN PRIVATE KEY----- secret}", "tiny.yaml:6:7: holds a key; write the path"),
        ('{key: "a\\nsecret"}', "tiny.yaml:6:7: holds a key; write the path of the key file"),
    ],
)
def test_a_real_inventory_says_how_to_log_in(tmp_path: Path, ssh: str, expected: str) -> None:
    said = refusal(tmp_path, yaml("lab: simrack\n", f"ssh: {ssh}\n"))
    assert said.startswith(expected)
    assert "secret" not in said


def test_a_real_inventory_loads_where_its_files_are(tmp_path: Path) -> None:
    (tmp_path / "id").touch()
    (tmp_path / "hosts").touch()
    inventory = load_inventory("tiny", write(tmp_path, REAL))
    assert (inventory.lab, inventory.ssh.key) == ("", "id")
    assert load_inventory(str(tmp_path / "tiny.yaml"), tmp_path / "elsewhere") == inventory
