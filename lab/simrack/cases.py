"""The cases of the collection of public reports, and what of the library stands for each.

    python -m lab.simrack cases

A case is covered by the faults and healthy variants that cite it, or by what every embedded rack
shows anyway; the others say why no rack can show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lab.simrack.faults import LIBRARY
from lab.simrack.variants import BUILT_IN

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "A. NVLink, NVSwitch, Fabric Manager, IMEX": {
        "C01": "health of the NVLink fabric is bad in summary",
        "C02": "joined the fabric without resources, or no cluster",
        "C03": "does not finish joining the fabric; a GPU less",
        "C05": "Fabric Manager or driver of another version",
        "C06": "Fabric Manager began anew and GPUs were not reset",
        "C07": "an NVLink that recovers again and again",
        "C09": "NVLinks hang after an Xid",
        "C10": "an Xid of NVLink with its severity, and the peer as its cause",
        "C11": "wrong data after a link was lost",
        "C13": "fewer links and less bandwidth, as the product has it",
        "C14": "all links inactive, said in one sentence",
        "C15": "a product that runs no Fabric Manager",
        "C17": "a collective fails from a number of ranks on",
        "C18": "NCCL too old for a domain over trays",
        "C19": "a tray in another rack's domain; equal cliques in many racks",
        "C21": "IMEX's list of nodes has a stale address",
        "C22": "IMEX node ids twice, or missing",
        "C23": "two IMEX domains in one clique",
        "C25": "IMEX connects hosts that no NVLink connects",
        "C26": "IMEX was never set up",
        "C27": "IMEX is not started again after a reboot",
        "C29": "the subnet manager of NVLinks uses another port than the board's",
        "C30": "a tray in another place than the plan's",
        "C31": "serials of boards shared by GPUs, module ids out of order",
        "C33": "copies work, and collectives of the same pair do not",
    },
    "B. InfiniBand links, cabling, subnet manager": {
        "C34": "cables that carry half the rate",
        "C35": "a port at another rate, without a LID",
        "C37": "a port that no subnet manager has swept",
        "C38": "a subnet manager that is too old for the switches",
        "C39": "adaptive routing is off",
        "C41": "every pair with one host is slow",
        "C42": "counters that move under load, and old ones that do not",
        "C43": "errors between switches; saturated counters",
        "C45": "events of the fabric's manager: flapping, cables in other places",
        "C46": "cables plugged into each other's ports",
        "C47": "a width that has two lanes",
        "C49": "raw bit errors that error correction hides",
        "C50": "bit errors after a flap",
        "C51": "a port whose state changes all the time",
        "C53": "membership in a partition is limited or missing",
        "C54": "adapters of another maker's firmware",
        "C55": "virtual functions without a GUID",
    },
    "C. RDMA: addresses, flow control, PCIe, GPUDirect": {
        "C57": "GID tables in different order",
        "C58": "a GID that goes away under load; retransmissions",
        "C59": "one MTU smaller than the others",
        "C61": "loss for want of flow control",
        "C62": "traffic of one host in another priority",
        "C63": "another trust mode on one host",
        "C65": "well in every field of state, and slow",
        "C66": "PCIe links of less width or generation",
        "C67": "memory of a GPU that is far from its NIC",
        "C69": "GPUDirect is offered and transfers hang",
        "C70": "memory may not be locked where programs are launched",
        "C71": "left-over settings of NCCL; another kernel",
        "C73": "PCIe writes may be reordered",
        "C74": "a GPU and its NIC are farther apart than the product has it",
        "C75": "collectives fail over one NIC that measures well",
    },
    "D. NCCL collectives": {
        "C77": "every host ran for itself",
        "C78": "an average hides the size that is slow",
        "C79": "a stale setting in the environment",
        "C81": "a column of old reports that looks like errors",
        "C82": "slow between racks alone",
        "C83": "collectives hang with uneven ranks, or between rails",
        "C85": "another NIC is used",
        "C86": "a fall back to TCP",
        "C87": "a GPU that is missing explains a failed collective",
        "C89": "bandwidth varies between runs",
        "C90": "in-network reduction is not used",
        "C91": "alltoall runs out of resources",
        "C93": "the launch fails, not the fabric",
    },
    "E. GPU health: memory, temperature, power": {
        "C94": "clocks held down by the power brake",
        "C95": "memory errors that only load shows",
        "C97": "rows remapped, pending or failed",
        "C98": "a GPU that has failed before; uncorrectable errors add up",
        "C99": "a tool that failed and ends with 0",
        "C101": "a counter that is not there, or at its sentinel",
        "C102": "an old Xid",
        "C103": "a power cap at full power, and one at low power; a thermal margin below zero",
        "C105": "the mix of faults of a large fleet",
        "C106": "a few GPUs slower than the others",
    },
    "F. Host configuration": {
        "C107": "a power limit that somebody left",
        "C109": "programs of another version than the loaded driver",
        "C110": "checks that were not made",
        "C111": "a service that the product does not have",
    },
}
"""Titles by case number."""
NOT_MODELLED: Final[Mapping[str, str]] = {
    "C50": "shows after a flap alone, and no gate makes one so far",
    "C78": "a mistake of the verdict: rows of stated sizes are judged and never the average of a "
    "report (test_no_average_hides_a_slow_size)",
    "C105": "a mix of faults and none by itself: the pairs and triples of the matrix are it",
    "C110": "a mistake of the checks: the manifest names what was not judged, on any rack",
}
"""Why no fault of a rack stands for a case."""


def numbers() -> tuple[str, ...]:
    return tuple(number for cases in SECTIONS.values() for number in cases)


def covered(number: str) -> tuple[str, ...]:
    """Kinds that cite a case; `(every rack)` where all embedded racks show it."""
    kinds = tuple(kind for kind, fault in LIBRARY.items() if number in fault.cases)
    return (*kinds, *(("(every rack)",) if number in BUILT_IN else ()))


def as_text() -> str:
    """A line for each case, by section, and how many are covered."""
    every = numbers()
    shown = sum(bool(covered(number)) for number in every)
    said = sum(number in NOT_MODELLED and not covered(number) for number in every)
    tail = f"{len(every)} cases: {shown} in the library, {said} with a reason why not"
    return "\n".join([*_lines(), "", tail])


def _lines() -> Iterator[str]:
    for section, cases in SECTIONS.items():
        yield f"{section}"
        for number, title in cases.items():
            kinds = ", ".join(covered(number))
            reason = NOT_MODELLED.get(number, "OPEN")
            yield f"  {number:<5} {title}: {kinds or f'not modelled: {reason}'}"
