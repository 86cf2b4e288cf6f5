"""Faults of GPUs and of their way to the host."""

from __future__ import annotations

from lab.simrack.faults.changes import gpu, number
from lab.simrack.faults.declare import Fault, Params, Target, incomplete, rejected


def _none(target: Target, _: Params) -> None:
    for one in target.host.gpus:
        one.present = False


def _moved(target: Target, _: Params) -> None:
    """The bus address of a slot that the inventory does not have."""
    domain, bus, rest = target.the_gpu.pci.split(":")
    target.the_gpu.pci = f"{domain}:{(int(bus, 16) + 0x10) % 0x100:02x}:{rest}"


def _serial(target: Target, params: Params) -> None:
    target.the_gpu.serial = params["serial"]


def _swapped(target: Target, _: Params) -> None:
    """With the GPU half a tray away: the two of one board have one serial."""
    gpus = target.host.gpus
    one = target.the_gpu
    other = gpus[(gpus.index(one) + len(gpus) // 2) % len(gpus)]
    one.serial, other.serial = other.serial, one.serial
    one.uuid, other.uuid = other.uuid, one.uuid


def _vbios(target: Target, params: Params) -> None:
    target.the_gpu.vbios = params["version"]


def _product(target: Target, params: Params) -> None:
    target.the_gpu.product = params["name"].replace("_", " ")


def _power(target: Target, params: Params) -> None:
    target.the_gpu.limit_w = number(params, "watts")


def _width(target: Target, params: Params) -> None:
    target.the_gpu.pcie_width = int(number(params, "lanes"))


def _switch(target: Target, params: Params) -> None:
    target.the_gpu.switch_width = int(number(params, "lanes"))


def _generation(target: Target, params: Params) -> None:
    target.the_gpu.pcie_gen = int(number(params, "gen"))


def _slow_copy(target: Target, params: Params) -> None:
    target.the_gpu.copy_factor *= number(params, "factor")


def _process(target: Target, params: Params) -> None:
    target.the_gpu.process = params["name"]


GPUS: tuple[Fault, ...] = (
    rejected(
        "gpu.missing", "gpu", gpu(present=False),
        "the GPU is not on the bus; the driver numbers the others anew",
        sees="gpu.bound", cases="C03 C87",
    ),
    rejected(
        "gpu.none", "host", _none, "none of the tray's GPUs is on the bus",
        sees="gpu.bound", cases="C03",
    ),
    rejected(
        "gpu.lost", "gpu", gpu(lost=True), "the driver has lost the GPU and says so",
        sees="gpu.responsive gpu.xid_fatal_count",
        cases="C87 C137",
    ),
    rejected(
        "gpu.moved", "gpu", _moved, "the GPU is at a bus address that no slot has",
        sees="gpu.bound", cases="C30",
    ),
    rejected(
        "gpu.wrong_serial", "gpu", _serial, "another GPU is in this slot",
        sees="identity.gpu_serial", cases="C30 C98", params={"serial": "1650225099999"},
    ),
    rejected(
        "gpu.swapped", "gpu", _swapped, "the GPU and that of another board have changed places",
        sees="identity.gpu_serial", cases="C30", names="swapped", extra=1,
    ),
    rejected(
        "gpu.wrong_vbios", "gpu", _vbios, "the GPU has another VBIOS than the site allows",
        sees="identity.vbios", cases="C54", params={"version": "97.00.82.00.0A"},
    ),
    rejected(
        "gpu.wrong_product", "gpu", _product, "the GPU is of another model (blanks as _)",
        sees="gpu.product", cases="C15", params={"name": "NVIDIA_GB300"},
    ),
    rejected(
        "gpu.power_capped", "gpu", _power, "somebody lowered the GPU's power limit",
        sees="gpu.power_limit", also="gpu.power_limit_loaded", cases="C107",
        params={"watts": "500"},
    ),
    rejected(
        "gpu.pcie_narrow", "gpu", _width, "the GPU's PCIe link has lost lanes",
        sees="gpu.pcie_width", also="gpu.h2d_bandwidth", cases="C66", params={"lanes": "8"},
    ),
    rejected(
        "gpu.pcie_switch_narrow", "gpu", _switch,
        "the GPU's PCIe link is whole, and that of the switch above it has lost lanes",
        sees="gpu.pcie_path_lacking gpu.h2d_bandwidth", cases="C66", params={"lanes": "8"},
    ),
    rejected(
        "gpu.pcie_slow", "gpu", _generation, "the GPU's PCIe link trains to a lower generation",
        sees="gpu.pcie_gen_loaded", also="gpu.h2d_bandwidth", cases="C66", params={"gen": "4"},
    ),
    rejected(
        "gpu.slow_copy", "gpu", _slow_copy,
        "copies to and from the GPU reach a part of their bandwidth",
        sees="nvlink.d2d_bandwidth", also="gpu.h2d_bandwidth", cases="C41",
        params={"factor": "0.6"},
    ),
    incomplete(
        "gpu.foreign_process", "gpu", _process, "somebody computes on the GPU",
        sees="gpu.foreign_processes", reason="busy", cases="C129 C138",
        params={"name": "/opt/train/python3"},
    ),
)  # fmt: skip
