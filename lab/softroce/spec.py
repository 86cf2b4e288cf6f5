"""What a caller says about a guest, and the addresses that follow from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.softroce.errors import LabError

FABRIC_PREFIX = "10.77.0"
"""Guests' own network behind the lab's switch; never visible on this machine."""

FABRIC_MTU = 4200
"""Bytes; room for an RDMA path MTU of 4,096, as RoCE fabrics are configured."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?")
_DEVICE = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSpec:
    """One host of the lab; `index` (1 to 250) gives its address, `serial` is what DMI reads.

    `rdma_device` names the one soft RDMA device, so that an inventory can call it `mlx5_0`.
    """

    name: str
    index: int
    serial: str = ""
    memory_mb: int = 512
    rdma_device: str = "rxe0"

    @property
    def address(self) -> str:
        """IPv4 address on the fabric."""
        return f"{FABRIC_PREFIX}.{self.index}"

    @property
    def fabric_mac(self) -> str:
        """MAC address of eth1, behind the lab's switch."""
        return f"52:54:00:77:01:{self.index:02x}"

    @property
    def management_mac(self) -> str:
        """MAC address of eth0, which carries SSH from this machine."""
        return f"52:54:00:77:00:{self.index:02x}"


def check_specs(specs: Sequence[GuestSpec]) -> None:
    """Raise LabError unless the names and indexes are usable and different from each other."""
    if not specs:
        raise LabError("softroce lab: no guests asked for")
    for spec in specs:
        if not _NAME.fullmatch(spec.name):
            raise LabError(f"softroce lab: {spec.name!r} cannot be a host name (a-z, 0-9, -)")
        if not _DEVICE.fullmatch(spec.rdma_device):
            raise LabError(
                f"softroce lab: {spec.name} has RDMA device {spec.rdma_device!r}, "
                "expected a name of a-z, 0-9 and _"
            )
        if not 1 <= spec.index <= 250:
            raise LabError(f"softroce lab: {spec.name} has index {spec.index}, expected 1 to 250")
    for what, values in (
        ("name", [spec.name for spec in specs]),
        ("index", [str(spec.index) for spec in specs]),
    ):
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise LabError(f"softroce lab: two guests have {what} {', '.join(twice)}")
