"""The inventories that come with the suite, written by rule so that nobody edits them by hand.

    python -m lab.simrack inventories        rewrites them; a test holds the files equal to this

`rack42` is the GB200-based form of NVL576 (eight racks, 144 compute trays, 72 switch trays),
`rack7` one NVL72, `hgx8` eight HGX H100 nodes, `roce4` four hosts
with RoCE ports, `softroce` the four QEMU guests. Serials, GUIDs and
the partition's UUID are invented; the OUI of the GUIDs is NVIDIA's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.simrack.cutsheet import Fabric, cut_sheet, switch_rows
from lab.simrack.nvos import CHIP_FIRMWARE, IMAGE

TRAYS, SWITCHES = 18, 9
GB200_PCI = ("0008:01:00.0", "0009:01:00.0", "0018:01:00.0", "0019:01:00.0")
H100_PCI = tuple(f"0000:{bus}:00.0" for bus in ("1b", "43", "52", "61", "9d", "c3", "d1", "df"))
MODULES = (2, 1, 4, 3)
"""Module number printed at a GB200 tray's GPU, in order of PCI address."""
UFM_EVENTS = "/opt/ufm/files/log/event.log"
_HEADER = "part,label,serial,guid,address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """What the site allows to be installed; the lab installs the first of each."""

    kernel: str
    gpu_driver: str
    vbios: str
    nic: str
    ofed: str = "24.10-1.1.4.0"
    nvos: str = ""
    switch_chip: str = ""
    psid: str = "MT_0000000838"


GB200 = Versions(
    kernel="6.8.0-1032-nvidia-64k",
    gpu_driver="580.95.05",
    vbios="97.00.B9.00.69",
    nic="28.45.1200",
    nvos=IMAGE,
    switch_chip=CHIP_FIRMWARE,
)
H100 = Versions(
    kernel="5.15.0-1063-nvidia", gpu_driver="580.95.05", vbios="96.00.99.00.01", nic="28.45.1200"
)


def rack_hosts(rack: int) -> tuple[list[str], list[str]]:
    """Compute trays and switch trays of a rack, bottom first."""
    return (
        [f"r{rack:02d}-ct{tray:02d}" for tray in range(1, TRAYS + 1)],
        [f"r{rack:02d}-sw{tray:02d}" for tray in range(1, SWITCHES + 1)],
    )


def files() -> dict[str, str]:
    """Every embedded inventory file: path below `inventories/` to text."""
    return {**_racks("rack42", 8), **_racks("rack7", 1), **_hgx8(), **_roce4(), **_softroce()}


def write(folder: Path) -> list[Path]:
    """Write them all; returns the paths whose text was another one before."""
    changed = []
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def _racks(name: str, racks: int) -> dict[str, str]:
    network = name.removeprefix("rack")
    rows = [_HEADER]
    for rack in range(1, racks + 1):
        rows += _rack_rows(rack, f"127.{network}.{rack}")
    trays = [tray for rack in range(1, racks + 1) for tray in rack_hosts(rack)[0]]
    switches = [rack_hosts(rack)[1] for rack in range(1, racks + 1)]
    fabric = (
        Fabric(rails=4, spines=16, cables_per_spine=2)
        if racks > 1
        else Fabric(rails=4, spines=4, cables_per_spine=4)
    )
    cables = cut_sheet(trays, fabric, switches)
    return {
        f"{name}.yaml": _rack_yaml(name, racks),
        f"{name}/parts.csv": "\n".join([*rows, *switch_rows(cables), ""]),
        f"{name}/cables.csv": cables,
    }


def _rack_rows(rack: int, network: str) -> list[str]:
    """Rows of one rack: eight compute trays, nine switch trays, ten compute trays, bottom up."""
    rows = []
    trays, switches = rack_hosts(rack)
    for number, tray in enumerate(trays, 1):
        slot = number if number <= 8 else number + SWITCHES
        rows.append(_host_row(tray, slot, f"18212250{rack:02d}{number:03d}", f"{network}.{number}"))
        for gpu, module in enumerate(MODULES):
            board = f"16502250{rack:02d}{number:02d}{gpu // 2 + 1}"
            rows.append(f"{tray}/gpu{gpu},module {module},{board},,")
        rows += _port_rows(tray, rack, number, rails=4)
    for number, switch in enumerate(switches, 1):
        serial = f"18212260{rack:02d}{number:03d}"
        rows.append(_host_row(switch, 8 + number, serial, f"{network}.{100 + number}"))
    return rows


def _host_row(host: str, slot: int, serial: str, address: str) -> str:
    return f"{host},U{10 + slot} slot {slot},{serial},,{address}"


def _port_rows(host: str, rack: int, number: int, rails: int) -> list[str]:
    return [
        f"{host}/mlx5_{rail}/1,OSFP {rail + 1},,b8e9240300{rack:02x}{number:02x}{rail:02x},"
        for rail in range(rails)
    ]


def _rack_yaml(name: str, racks: int) -> str:
    domain = racks > 1
    about = (
        "A virtual NVL576: eight GB200 NVL72 racks in one NVLink domain, NDR rails."
        if domain
        else "A virtual GB200 NVL72 rack with NDR rails."
    )
    span = f"r[01-{racks:02d}]" if domain else "r01"
    trays = f"{span}-ct[01-{TRAYS}]"
    cluster = f"6f1d7c2e-4b0a-4d7e-9c15-{int(name.removeprefix('rack')):012d}"
    lines = [
        *_top(name, "nvl576" if domain else "nvl72", "nvl576" if domain else "gb200-nvl72", about),
        "hosts:",
        *_group(trays, GB200_PCI, rails=4),
        f'  - names: "{span}-sw[01-{SWITCHES:02d}]"',
        "    kind: switch",
        "    os: nvos",
        "racks:",
    ]
    for rack in range(1, racks + 1):
        members = f"r{rack:02d}-ct[01-{TRAYS}],r{rack:02d}-sw[01-{SWITCHES:02d}]"
        lines += [f"  - name: r{rack:02d}", f'    hosts: "{members}"']
    lines += [
        "partitions:",
        "  - name: domain",
        f'    hosts: "{trays}"',
        f"    cluster_uuid: {cluster}",
        "    clique: 32766",
        "imex: domain",
        *_site(GB200, watts=1200, observers=("r01-ct01", "r01-ct02")),
    ]
    return "\n".join([*lines, ""])


def _top(name: str, product: str, profile: str, about: str, link: str = "ndr") -> list[str]:
    return [
        "# Written by `python -m lab.simrack inventories`; change lab/simrack/embedded.py instead.",
        "schema: 1",
        f"name: {name}",
        f"product: {product}",
        f"profile: {profile}",
        *([f"link_profile: {link}"] if link else []),
        f"lab: {'simrack' if link else 'softroce'}",
        f'about: "{about}"',
        f"parts: {name}/parts.csv",
        *([f"cables: {name}/cables.csv"] if link else []),
    ]


def _group(names: str, addresses: Sequence[str], rails: int, vfs: int = 0) -> list[str]:
    """The NIC of rail 0 has the virtual functions."""
    declared = [f", vfs: {vfs}" if vfs and not rail else "" for rail in range(rails)]
    return [
        f'  - names: "{names}"',
        "    kind: compute",
        "    os: linux",
        "    gpus:",
        *(f'      gpu{slot}: "{address}"' for slot, address in enumerate(addresses)),
        "    nics:",
        *(
            f"      mlx5_{rail}: {{rail: {rail}, link_layer: infiniband{declared[rail]}}}"
            for rail in range(rails)
        ),
    ]


def _site(
    versions: Versions, *, watts: int, observers: tuple[str, str], ufm: str = ""
) -> list[str]:
    """The first observer is the head host as well; the second looks from another rail."""
    firmware: Mapping[str, str] = {
        "kernel": versions.kernel,
        "gpu_driver": versions.gpu_driver,
        "vbios": versions.vbios,
        "nic": versions.nic,
        "ofed": versions.ofed,
        "nvos": versions.nvos,
        "switch_chip": versions.switch_chip,
        "psid": versions.psid,
    }
    return [
        "firmware:",
        *(f"  {kind}: {version}" for kind, version in firmware.items() if version),
        "power:",
        f"  gpu_limit_w: {watts}",
        "policy:",
        "  max_effect: load",
        "  whole_domain_load: true",
        "launcher:",
        "  kind: mpirun",
        f"  head: {observers[0]}",
        "observers:",
        *(
            line
            for rail, host in enumerate(observers)
            for line in (
                "  - subnet: ib0",
                f"    host: {host}",
                f"    ca: mlx5_{rail}",
                "    port: 1",
                "    adaptive_routing: true",
                *([f"    ufm_events: {ufm}"] if ufm and rail == 0 else []),
            )
        ),
    ]


def _hgx8() -> dict[str, str]:
    hosts = [f"hgx{number:02d}" for number in range(1, 9)]
    rows = [_HEADER]
    for number, host in enumerate(hosts, 1):
        rows.append(f"{host},node {number},S5X22500{number:03d},,127.8.0.{number}")
        rows += [
            f"{host}/gpu{gpu},SXM {gpu + 1},16529230{number:02d}{gpu:03d},," for gpu in range(8)
        ]
        rows += _port_rows(host, 8, number, rails=8)
    lines = [
        *_top("hgx8", "hgx", "hgx-h100", "Eight virtual HGX H100 nodes with eight NDR rails."),
        "hosts:",
        *_group("hgx[01-08]", H100_PCI, rails=8, vfs=2),
        "partitions: none",
        "sharp: true",
        *_site(H100, watts=700, observers=("hgx01", "hgx02"), ufm=UFM_EVENTS),
    ]
    cables = cut_sheet(hosts, Fabric(rails=8, spines=4, cables_per_spine=4))
    return {
        "hgx8.yaml": "\n".join([*lines, ""]),
        "hgx8/parts.csv": "\n".join([*rows, *switch_rows(cables), ""]),
        "hgx8/cables.csv": cables,
    }


def _roce4() -> dict[str, str]:
    about = "Four virtual hosts with two RoCE ports each, and no GPUs."
    hosts = [f"n{number}" for number in range(1, 5)]
    rows = [_HEADER]
    for number, host in enumerate(hosts, 1):
        rows.append(f"{host},node {number},ROCE-{number:04d},,127.9.0.{number}")
        rows += _port_rows(host, 9, number, rails=2)
    lines = [
        *_top("roce4", "rdma-hosts", "rdma-hosts", about, link="roce"),
        "hosts:",
        '  - names: "n[1-4]"',
        "    kind: compute",
        "    os: linux",
        "    nics:",
        *(
            f"      mlx5_{n}: {{rail: {n}, link_layer: ethernet, gid_index: 3, traffic_class: 106}}"
            for n in range(2)
        ),
        "firmware:",
        f"  nic: {H100.nic}",
        f"  psid: {H100.psid}",
        "policy:",
        "  max_effect: load",
        "  whole_domain_load: true",
        "launcher:",
        "  kind: mpirun",
        "  head: n1",
    ]
    return {
        "roce4.yaml": "\n".join([*lines, ""]),
        "roce4/parts.csv": "\n".join([*rows, ""]),
        "roce4/cables.csv": cut_sheet(hosts, Fabric(rails=2, spines=1, cables_per_spine=4)),
    }


def _softroce() -> dict[str, str]:
    about = "Four Linux guests under QEMU with soft RoCE; their RDMA stack is real."
    lines = [
        *_top("softroce", "rdma-hosts", "rdma-hosts", about, link=""),
        "hosts:",
        '  - names: "g[1-4]"',
        "    kind: compute",
        "    os: linux",
        "    nics:",
        "      rxe0: {rail: 0, link_layer: ethernet, gid_index: 1}",
        "policy:",
        "  max_effect: load",
        "  whole_domain_load: true",
        "launcher:",
        "  kind: mpirun",
        "  head: g1",
    ]
    rows = [
        f"g{number},guest {number},SOFTROCE-{number:04d},10.77.0.{number}" for number in range(1, 5)
    ]
    return {
        "softroce.yaml": "\n".join([*lines, ""]),
        "softroce/parts.csv": "\n".join(["part,label,serial,peer_address", *rows, ""]),
    }
