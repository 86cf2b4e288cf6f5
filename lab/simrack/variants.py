"""Healthy variants: what looks like a fault to somebody and is none. Each must be ACCEPTED.

They are put into the state as faults are: `--fault port.old_errors@r01-ct02/mlx5_1/1`. BUILT_IN
says what the embedded racks show anyway, so that every healthy run holds it against the suite.
"""

from __future__ import annotations

from collections.abc import Mapping

from lab.simrack.faults.cabling import old_errors
from lab.simrack.faults.changes import (
    collectives,
    foreign_nic,
    gpu,
    health,
    host,
    number,
    port,
)
from lab.simrack.faults.declare import Fault, Params, Target, accepted
from lab.simrack.faults.host_setup import VARIANTS as HOST_SETUP
from lab.simrack.faults.kernel_log import VARIANTS as KERNEL_LOG
from lab.simrack.faults.ufm import VARIANTS as UFM
from lab.simrack.faults.virtual import VARIANTS as VIRTUAL
from lab.simrack.nccl_setup import OLD_TESTS

BUILT_IN: Mapping[str, str] = {
    "C13": "a product with 12 of its chip's 18 NVLinks: the others are inactive (counts: 12)",
    "C31": "both GPUs of a board have its serial, and module ids go 2, 1, 4, 3 (rack7, rack42)",
    "C19": "clique 32766 in every domain; domains differ by cluster UUID (rack7, rack42)",
    "C15": "no fabric manager runs on the trays of an NVLink rack, and nobody asks for one",
    "C25": "HGX nodes are in no cluster: zeros, and N/A for the fabric's health (hgx8)",
    "C66": "idle PCIe links of GPUs run at their slowest rate",
}
OLD_ERRORS = {"link_downed": 14, "symbol_error": 2741, "port_rcv_errors": 9, "out_of_sequence": 61}


def _clock(target: Target, params: Params) -> None:
    target.host.skew_s += number(params, "seconds")


def _fqdn(target: Target, params: Params) -> None:
    target.host.own_name = f"{target.host.name}.{params['domain']}"


def _renamed(target: Target, _: Params) -> None:
    """The kernel found the NICs in another order; each is known by its GUID."""
    devices = [one.device for one in target.host.ports]
    for one, device in zip(target.host.ports, [*devices[1:], devices[0]], strict=True):
        one.device = device


def _extra_nic(target: Target, params: Params) -> None:
    target.host.ports.append(foreign_nic(target.host, params["device"]))


def _modules(target: Target, _: Params) -> None:
    numbers = [one.module for one in target.host.gpus]
    for one, module in zip(target.host.gpus, reversed(numbers), strict=True):
        one.module = module


def _rows(target: Target, params: Params) -> None:
    target.the_gpu.rows_correctable = int(number(params, "rows"))


VARIANTS: tuple[Fault, ...] = (
    accepted("host.fqdn", "host", _fqdn, "the host calls itself by its full name",
             params={"domain": "hall3.example"}),
    accepted("clock.nearly_right", "host", _clock, "the clock is off by less than it may be",
             params={"seconds": "0.3"}),
    accepted("gpu.module_order", "host", _modules, "module ids run the other way round",
             cases="C31"),
    accepted("gpu.capped_at_full_power", "gpu", health(capped_at=0.997),
             "the software power cap is active under load, at full power", cases="C103"),
    accepted("gpu.little_margin", "gpu", health(margin_c=3),
             "the GPU is warmer than its peers, and is not slowed for it", cases="C103"),
    accepted("gpu.corrected_under_load", "gpu", health(errors_per_load={"dram_correctable": 2}),
             "a few memory errors are corrected under load", cases="C95"),
    accepted("gpu.correctable_errors", "gpu", gpu(ecc={"dram_correctable": 412}),
             "correctable errors were counted and corrected", cases="C42 C102"),
    accepted("gpu.few_remapped_rows", "gpu", _rows,
             "a few rows were remapped for correctable errors", cases="C97", params={"rows": "3"}),
    accepted("nic.renamed", "host", _renamed, "the kernel gave the NICs' names in another order",
             cases="C29"),
    accepted("nic.extra", "host", _extra_nic, "the host has an Ethernet NIC that no slot lists",
             cases="C85", params={"device": "mlx5_bond_0"}),
    accepted("nccl.old_tests", "host", collectives(tests=OLD_TESTS),
             "nccl-tests prints differences that rounding leaves, in a column `error`",
             cases="C81"),
    accepted("nccl.sharp_not_bought", "host", collectives(sharp=True),
             "the plugin for SHARP is installed, whether or not anybody asked for it"),
    accepted("port.old_errors", "port", port(errors=OLD_ERRORS),
             "error counters stand at old values and do not move", cases="C42"),
    accepted("uplink.old_errors", "cable", old_errors,
             "counters of a link between switches stand at old values, and waiting is saturated",
             cases="C42 C43", of="fabric"),
    accepted("port.waits", "port", port(moves={"port_xmit_wait": 91_316_204}),
             "the port had to wait for credits, which is no error", cases="C43"),
    *KERNEL_LOG,
    *HOST_SETUP,
    *UFM,
    *VIRTUAL,
    accepted("perftest.old", "host", host(perftest="6.06"),
             "perftest is too old to write JSON that can be read", cases="C133"),
    accepted("perftest.chatty", "host", host(chatty=True),
             "perftest complains of the processor's clock before it measures", cases="C133"),
)  # fmt: skip
