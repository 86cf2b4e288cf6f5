"""A whole inventory of two trays and a switch, small enough to break one line at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory

INVENTORY = """\
schema: 1
name: tiny
product: nvl72
profile: small
link_profile: wire
lab: simrack
parts: tiny/parts.csv
cables: tiny/cables.csv
hosts:
  - names: "ct[1-2]"
    kind: compute
    gpus: {gpu0: "0000:01:00.0", gpu1: "0000:02:00.0"}
    nics:
      mlx5_0: {rail: 0}
      mlx5_1: {rail: 1, link_layer: ethernet, gid_index: 3}
  - names: sw1
    kind: switch
    os: nvos
    sudo: true
racks:
  - name: k1
    hosts: "ct[1-2],sw1"
partitions:
  - name: p1
    hosts: "ct[1-2]"
    cluster_uuid: 6F1D7C2E-4b0a-4d7e-9c15-000000000042
    clique: 7
firmware: {kernel: 6.10, nic: [28.45.1200, 28.46.1]}
power: {gpu_limit_w: 1200}
policy: {max_effect: load, never: [sw1/acp1, leaf1/2]}
launcher: {head: ct1}
observers:
  - {subnet: ib0, host: ct1, ca: mlx5_0}
"""

PARTS = """\
part,label,serial,guid,address,port,peer_address
ct1,slot 1,S1,,127.9.0.1,,10.0.0.1
ct1/gpu0,module 2,M1,,,,
ct1/gpu1,module 1,M1,,,,
ct1/mlx5_0/1,OSFP 1,,b8e9240300000100,,,
ct1/mlx5_1/1,OSFP 2,,b8e9240300000101,,,
ct2,slot 2,S2,,127.9.0.2,2222,
ct2/gpu0,,M2,,,,
# ct2/gpu1 and the ports of ct2 have no row: nothing is known of them but that they exist
sw1,slot 9,S9,,127.9.0.3,,
"""

CABLES = """\
cable,kind,a,b
C1,host,ct1/mlx5_0/1,leaf1/1
C2,host,ct2/mlx5_0/1,leaf1/2
C3,host,ct1/mlx5_1/1,leaf2/1
C4,host,ct2/mlx5_1/1,leaf3/1
C5,fabric,leaf2/33,spine1/1
C6,fabric,leaf3/33,spine1/2
"""

SMALL = """\
profile: small
about: two trays
as_of: 2026-11-30
includes: [base]
gates: [reach, compute]
gpu_product: Tiny GPU
counts:
  gpus_per_tray: {equals: 2, kind: datasheet, source: the tray's manual}
  nics_per_tray: {equals: 2, kind: datasheet, source: the tray's manual}
  trays_per_rack: {equals: 2, kind: datasheet, source: the rack's manual}
  racks_per_domain: {equals: 1, kind: datasheet, source: the rack's manual}
metrics:
  gpu.clock:
    gate: compute
    per: gpu
    unit: MHz
    required: true
    limits:
      - {min: 1500, unit: MHz, kind: datasheet, source: the GPU's datasheet}
"""

BASE = """\
profile: base
about: what everything shares
as_of: 2026-11-30
metrics:
  reach.ssh:
    gate: reach
    per: host
    unit: state
    required: true
    prerequisite: true
    limits:
      - {equals: ok, unit: state, kind: rule-of-thumb, source: this suite}
"""

WIRE = """\
profile: wire
about: links
as_of: 2026-11-30
metrics:
  port.rate:
    gate: infiniband
    per: ib-port
    unit: Gb/s
    limits:
      - {min: 400, unit: Gb/s, kind: datasheet, source: the NIC's datasheet}
"""

FILES = {
    "tiny.yaml": INVENTORY,
    "tiny/parts.csv": PARTS,
    "tiny/cables.csv": CABLES,
    "profiles/small.yaml": SMALL,
    "profiles/base.yaml": BASE,
    "profiles/wire.yaml": WIRE,
}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which stands in the file exactly once; where it is empty, add to the end."""

    file: str
    old: str
    new: str


def write(folder: Path, *edits: Edit) -> Path:
    """Write the inventory with these changes; returns the folder."""
    texts = dict(FILES)
    for edit in edits:
        if edit.old:
            assert texts[edit.file].count(edit.old) == 1, edit
        text = texts[edit.file]
        texts[edit.file] = text.replace(edit.old, edit.new) if edit.old else text + edit.new
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def load(folder: Path, *edits: Edit) -> Inventory:
    return load_inventory("tiny", write(folder, *edits))


def refusal(folder: Path, *edits: Edit) -> str:
    """What loading says, with the folder's own name taken out."""
    with pytest.raises(InventoryError) as caught:
        load(folder, *edits)
    return str(caught.value).replace(f"{folder}/", "")
