"""Whether everything that a reader returns stands in the text that it read.

A number counts as found where the text has it, in decimal or hexadecimal, as it is or in another
unit. Texts count as found where all their words are in the text, whatever case and punctuation.
What a reader derives (a flag, a number of lines) is named in DERIVED, by class and field.
"""

from __future__ import annotations

import dataclasses
import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from fixtures.tools.lines import plain

DERIVED: frozenset[str] = frozenset(
    {
        "Bridge.level",  # the steps up from a device, in the path of its files
        "At.line",  # where in the log an event stands
        "KernelLog.messages",  # how much of the text had the form of a log
        "KernelLog.kernel_messages",
        "Lane.number",  # JSON of ethtool -m numbers lanes by their place
        "ModuleEeprom.flags",
        "ModuleEeprom.vendor_oui",  # JSON has its bytes in decimal
        "PciLink.generation",  # the one that has the speed printed
        "PciLink.max_generation",
        "Xid.pci",  # the oldest drivers leave the domain 0000 out, IOMMUs' drivers do, too
        "IommuFault.pci",
        "AerError.status",  # the kernel prints both hexadecimal, without 0x
        "AerError.mask",
        "PciDevice.pci",  # lspci and lstopo leave the domain 0000 out
        "PciObject.pci",
        "OsDevice.pci",
        "Report.ranks",  # nccl-tests numbers ranks from 0: the highest plus one
        "CommRank.pci",  # NCCL prints a bus id, domain to function as one number
        "Fabric.pci",
        "SubnetEnd.port",  # ibdiagnet's lst is hexadecimal throughout, without 0x
        "SubnetEnd.port_count",
        "SubnetEnd.vendor_id",
        "SubnetEnd.device_id",
        "SubnetEnd.lid",
        "Mnnvl.clique_id",  # NCCL prints it hexadecimal, without 0x
        "TopologySwitch.nodes",  # a host list of Slurm spelt out
        "TopologySwitch.switches",
        "TopologyBlock.nodes",
        "SinfoRow.hosts",
        "Gpu.throttle",  # nvidia-smi's text says Idle for what its XML calls gpu_idle
        "DiagMessage.text",  # joined from rows that dcgmi ends within words
    }
)

FACTORS = (1, 1e-3, 1e3, 1e-6, 1e6, 1e-9, 1e9, 1 / 8, 8, 1024, 2**20, 2**30, 2**20 * 8 / 1e9)
"""Between units: kilo, mega, giga; bits and bytes; KiB, MiB, GiB; MiB/s in Gb/s."""

GUID = 16
"""Digits of a GUID; some tools print it without the leading zeros."""

_NUMBERS = re.compile(
    r"\.?0[xX]([0-9a-fA-F]{1,32})"
    r"|((?:\d+(?:\.\d*)?|(?<!\.)\.\d+)(?:[eE][+-]?\d{1,4})?)"  # not the last of many dots
    r"|\b([0-9a-fA-F]{1,16})\b",
    re.ASCII,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?", re.ASCII)
_WORD = re.compile(r"[^\W_]+")


def ungrounded(value: Any, text: str) -> list[str]:
    """Paths and values that the text does not have."""
    seen = plain(text, "the text")
    numbers, letters = _numbers(seen), _letters(seen)
    return [
        f"{where} = {leaf!r}"
        for where, leaf in _leaves(value, "", set(DERIVED))
        if not (_word(leaf, letters) if isinstance(leaf, str) else _number(leaf, numbers))
    ]


def _leaves(value: Any, where: str, derived: set[str]) -> Iterator[tuple[str, str | float]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__
        for field in dataclasses.fields(value):
            if f"{kind}.{field.name}" not in derived:
                yield from _leaves(getattr(value, field.name), f"{where}.{field.name}", derived)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(key, f"{where}.key", derived)
            yield from _leaves(item, f"{where}[{key!r}]", derived)
    elif isinstance(value, list | tuple | set | frozenset):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{where}[{number}]", derived)
    elif isinstance(value, str | int | float) and not isinstance(value, bool | Enum):
        yield where, value
    elif not isinstance(value, bool | Enum | datetime | None):
        raise TypeError(f"{where}: a reader returned {type(value).__name__}")


def _numbers(text: str) -> Sequence[float]:
    found: set[float] = set()
    for prefixed, decimal, bare in _NUMBERS.findall(text):
        if decimal:
            found.update(map(float, (decimal, *filter(str.isdigit, decimal.split(".")))))
        for digits in (prefixed, bare, decimal if decimal.isdigit() and len(decimal) < 33 else ""):
            if digits:
                found.add(float(int(digits, 16)))
    found.update(float(thousands.replace(",", "")) for thousands in _THOUSANDS.findall(text))
    return sorted(found)


def _number(value: float, numbers: Sequence[float]) -> bool:
    size = abs(float(value))
    return math.isfinite(size) and any(_near(size / factor, numbers) for factor in FACTORS)


def _near(size: float, numbers: Sequence[float]) -> bool:
    at = bisect_left(numbers, size * (1 - 1e-9))
    return at < len(numbers) and numbers[at] <= size * (1 + 1e-9)


def _letters(text: str) -> str:
    return "".join(_WORD.findall(text.lower()))


def _word(value: str, letters: str) -> bool:
    return all(
        word in letters or (len(word) == GUID and word.lstrip("0") in letters)
        for word in _WORD.findall(value.lower())
    )
