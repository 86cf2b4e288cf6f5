"""`nvidia-smi nvlink`: `-s` rates, `-e` error counters, `-R` far ends of every link of a host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lab.simrack.devices import GpuState
from lab.simrack.links import End, Link
from lab.simrack.products import GpuProduct
from lab.simrack.state import HostState

AGED_BITS = 10**15
"""Bits that a link has received before the lab began, since its counters were last cleared."""
NO_ERRORS = "15e-255"
LOST = "\t NVML: Unable to retrieve NVLink information as the GPU is lost\n"
ALL_INACTIVE = "\t NVML: Unable to retrieve NVLink information as all links are inActive\n"
COUNTERS_5 = {
    "Malformed packet Errors": "malformed",
    "Buffer overrun Errors": "overrun",
    "Rx Errors": "crc",
    "Rx remote Errors": "remote",
    "Local link integrity Errors": "integrity",
    "Tx discards": "discards",
    "Link recovery successful events": "recovery",
    "Link recovery failed events": "recovery_failed",
}
"""What NVLink 5 counts, by nvidia-smi's label: the counter of the link's end."""
COUNTERS_4 = {"Replay Errors": "replay", "Recovery Errors": "recovery", "CRC Errors": "crc"}
BOARD_PCI = "00000000:{:02X}:00.0"
Answer = Callable[[GpuProduct, GpuState], Iterator[str]]


def answer(options: Sequence[str]) -> Answer | None:
    """What prints a GPU's links for these options; None where there is no such command."""
    return ANSWERS.get(options[0]) if len(options) == 1 else None


def show(product: GpuProduct, host: HostState, lines: Answer) -> str:
    """Every GPU by the driver's index, with its links or why there are none to show."""
    text = []
    for index, gpu in enumerate(host.shown):
        text.append(f"GPU {index}: {gpu.product} (UUID: {gpu.uuid})\n")
        if gpu.lost:
            text.append(LOST)
        elif not any(link.up for link in gpu.links):
            text.append(ALL_INACTIVE)
        else:
            text += lines(product, gpu)
    return "".join(text)


def _status(_: GpuProduct, gpu: GpuState) -> Iterator[str]:
    for number, link in enumerate(gpu.links):
        yield f"\t Link {number}: {_rate(link.trained) if link.up else '<inactive>'}\n"


def _rate(rate: float) -> str:
    return f"{f'{rate:.3f}'.rstrip('0').rstrip('.')} GB/s"


def _errors(product: GpuProduct, gpu: GpuState) -> Iterator[str]:
    for number, link in enumerate(gpu.links):
        if link.up:
            head = f"\t Link {number}: "
            rows = _nvlink5(link.near) if product.clustered else _nvlink4(link.near)
            yield "".join(f"{head}{label}: {value}\n" for label, value in rows)


def _nvlink4(end: End) -> Iterator[tuple[str, object]]:
    for label, name in COUNTERS_4.items():
        yield label, end.errors.get(name, 0)


def _nvlink5(end: End) -> Iterator[tuple[str, object]]:
    yield from (("Tx packets", end.sent_packets), ("Tx bytes", end.sent_bytes))
    yield from (("Rx packets", end.received_packets), ("Rx bytes", end.received_bytes))
    for label, name in COUNTERS_5.items():
        yield label, end.errors.get(name, 0)
    tried = end.errors.get("recovery", 0) + end.errors.get("recovery_failed", 0)
    yield "Total link recovery events", tried
    for label, name in (("Effective", "effective"), ("Symbol", "symbol")):
        yield f"{label} Errors", end.errors.get(name, 0)
        yield f"{label} BER", error_ratio(end, name)


def error_ratio(end: End, name: str) -> str:
    """Errors a bit since the counters were last cleared; the code for none at all."""
    count = end.errors.get(name, 0)
    if not count:
        return NO_ERRORS
    mantissa, _, exponent = f"{count / (AGED_BITS + 8 * end.received_bytes):.0e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def _remote(product: GpuProduct, gpu: GpuState) -> Iterator[str]:
    for number, link in enumerate(gpu.links):
        far = _far_end(product, link) if link.up else "<inactive>"
        yield f"\t Link {number}: {far}\n"


def _far_end(product: GpuProduct, link: Link) -> str:
    """A chip on the server's board has a PCI address; one in a switch tray has none."""
    if product.clustered:
        return f"Remote Device N/A: Link {link.far.port.removeprefix('acp')}"
    return f"Remote Device {BOARD_PCI.format(6 + link.far.chip)}: Link {link.far.port}"


ANSWERS = {
    "-s": _status,
    "--status": _status,
    "-e": _errors,
    "--errorcounters": _errors,
    "-R": _remote,
    "--remotelinkinfo": _remote,
}
