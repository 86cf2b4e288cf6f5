"""A virtual rack of two trays and a switch: small enough that a whole acceptance takes seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

PROFILES = Path(__file__).parents[2] / "inventories" / "profiles"
INCLUDED = ("adapter", "common", "nccl", "gpu", "gb200-nvl72", "infiniband", "ndr", "rdma-port")
TRAYS = ("r01-ct01", "r01-ct02")
HOSTS = (*TRAYS, "r01-sw01")
GPUS = tuple(f"{tray}/gpu{gpu}" for tray in TRAYS for gpu in range(2))

INVENTORY = """\
schema: 1
name: tiny
product: nvl72
profile: tiny
link_profile: ndr
{lab}
about: "Two virtual trays of two GPUs"
parts: parts.csv
cables: cables.csv
hosts:
  - names: "r01-ct[01-02]"
    kind: compute
    gpus: {{gpu0: "0008:01:00.0", gpu1: "0009:01:00.0"}}
    nics:
      mlx5_0: {{rail: 0}}
  - names: r01-sw01
    kind: switch
    os: nvos
racks:
  - name: r01
    hosts: "r01-ct[01-02],r01-sw01"
partitions:
  - name: domain
    hosts: "r01-ct[01-02]"
    cluster_uuid: 6f1d7c2e-4b0a-4d7e-9c15-000000000001
    clique: 7
firmware: {{kernel: 6.8.0-1, gpu_driver: 580.95.05, vbios: 97.00.B9.00.69, nic: 28.45.1200,
           ofed: 24.10-1.1.4.0, nvos: 25.02.2344, switch_chip: 35.2014.1700,
           psid: MT_0000000838}}
imex: domain
power: {{gpu_limit_w: 1200}}
policy: {{max_effect: {max_effect}, whole_domain_load: true}}
launcher: {{head: r01-ct01}}
observers: [{{subnet: ib0, host: r01-ct01, ca: mlx5_0, port: 1}}]
"""
LAB = "lab: simrack"
REAL = "ssh: {key: parts.csv, known_hosts: parts.csv}"
"""Hosts without a lab: loading only looks whether the files exist."""
PARTS = """\
part,label,serial,guid,address
r01-ct01,U11 slot 1,SN-T1,,127.77.1.1
r01-ct01/gpu0,module 2,SN-G10,,
r01-ct01/gpu1,module 1,SN-G11,,
r01-ct01/mlx5_0/1,OSFP 1,,b8e9240300000100,
r01-ct02,U12 slot 2,SN-T2,,127.77.1.2
r01-ct02/gpu0,module 2,SN-G20,,
r01-ct02/gpu1,module 1,SN-G21,,
r01-ct02/mlx5_0/1,OSFP 1,,b8e9240300000200,
r01-sw01,U20,SN-S1,,127.77.2.1
"""
CABLES = """\
cable,kind,a,b
C1,host,r01-ct01/mlx5_0/1,leaf-r0-1/1
C2,host,r01-ct02/mlx5_0/1,leaf-r0-1/2
"""
PROFILE = """\
profile: tiny
about: "GB200 with the counts of two trays, and bandwidths of four ranks"
as_of: 2026-11-30
product: nvl72
includes: [gb200-nvl72]
gates: [reach, identity, compute, nvlink, infiniband, rdma, nccl]
counts:
  racks_per_domain: {equals: 1, kind: baseline, source: this test}
  trays_per_domain: {equals: 2, kind: baseline, source: this test}
  gpus_per_domain: {equals: 4, kind: baseline, source: this test}
  trays_per_rack: {equals: 2, kind: baseline, source: this test}
  switches_per_rack: {equals: 1, kind: baseline, source: this test}
  gpus_per_rack: {equals: 4, kind: baseline, source: this test}
  gpus_per_tray: {equals: 2, kind: baseline, source: this test}
  nics_per_tray: {equals: 1, kind: baseline, source: this test}
metrics:
  nvlink.switch_asics:
    gate: nvlink
    per: rack
    unit: count
    required: true
    limits: [{equals: 2, unit: count, kind: baseline, source: this test}]
  nccl.tray_all_reduce_busbw:
    gate: nccl
    per: tray
    unit: GB/s
    required: true
    limits: [{min: 600, unit: GB/s, kind: baseline, source: this test}]
  nccl.rack_all_reduce_busbw:
    gate: nccl
    per: rack
    unit: GB/s
    required: true
    limits: [{min: 600, unit: GB/s, kind: baseline, source: this test}]
  nccl.all_reduce_busbw:
    gate: nccl
    per: domain
    unit: GB/s
    required: true
    limits: [{min: 600, unit: GB/s, kind: baseline, source: this test}]
"""


def write(folder: Path, *, lab: bool = True, max_effect: str = "load", metrics: str = "") -> Path:
    """Write the inventory and its profiles; returns the path of its YAML file.

    `metrics` is added to the profile's own, indented as YAML wants it.
    """
    profiles = folder / "profiles"
    profiles.mkdir(parents=True, exist_ok=True)
    for name in INCLUDED:
        shutil.copyfile(PROFILES / f"{name}.yaml", profiles / f"{name}.yaml")
    (profiles / "tiny.yaml").write_text(PROFILE + metrics, encoding="utf-8")
    (folder / "parts.csv").write_text(PARTS, encoding="utf-8")
    (folder / "cables.csv").write_text(CABLES, encoding="utf-8")
    path = folder / "tiny.yaml"
    text = INVENTORY.format(lab=LAB if lab else REAL, max_effect=max_effect)
    path.write_text(text, encoding="utf-8")
    return path
