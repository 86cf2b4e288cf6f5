"""`nvidia-smi --query-gpu=FIELD,… --format=csv[,noheader][,nounits] [-l SECONDS | -lms MILLIS]`."""

from __future__ import annotations

from collections.abc import Sequence

from lab.simrack.machine import Call
from lab.simrack.views.smi_fields import LOST, fields_of

COLUMNS = {
    "index": "{index}",
    "name": "{product}",
    "uuid": "{uuid}",
    "serial": "{serial}",
    "vbios_version": "{vbios}",
    "driver_version": "{driver}",
    "pci.bus_id": "{bus_id}",
    "pcie.link.gen.current": "{gen}",
    "pcie.link.gen.max": "{max_gen}",
    "pcie.link.width.current": "{width}",
    "pcie.link.width.max": "16",
    "power.limit": "{limit:.2f} W",
    "power.draw": "{draw}",
    "temperature.gpu": "{temp}",
    "temperature.gpu.tlimit": "{tlimit}",
    "clocks.sm": "{clock}",
    "clocks.max.sm": "{boost} MHz",
    "clocks_event_reasons.active": "{reasons}",
    "ecc.errors.corrected.volatile.total": "{corrected}",
    "ecc.errors.uncorrected.volatile.total": "{uncorrected}",
    "utilization.gpu": "{gpu_util}",
    "memory.total": "{fb_total}",
    "memory.used": "{fb_used}",
}
BARE = ("temperature.gpu", "temperature.gpu.tlimit")
"""Columns that the tool prints without a unit."""
SILENT = (
    *("pcie.link.gen.current", "pcie.link.width.current", "power.draw", *BARE, "clocks.sm"),
    *("clocks_event_reasons.active", "ecc.errors.corrected.volatile.total"),
    "ecc.errors.uncorrected.volatile.total",
)
"""Columns that the driver cannot fill for a GPU that it has lost."""
INVALID_ARGUMENT = 2


async def run(call: Call) -> int:
    options = dict(word.partition("=")[::2] for word in call.argv[1:])
    columns = options["--query-gpu"].split(",")
    unknown = [column for column in columns if column not in COLUMNS]
    if unknown:
        call.write(f'Field "{unknown[0]}" is not a valid field to query.\n\n')
        return INVALID_ARGUMENT
    form = options.get("--format", "csv").split(",")
    if "noheader" not in form:
        call.write(", ".join(columns) + "\n")
    period = _period_s(call.argv)
    while True:
        call.write("".join(_rows(call, columns, nounits="nounits" in form)))
        if period is None:
            return 0
        await call.pause_to_look(period)


def _period_s(argv: Sequence[str]) -> float | None:
    for option, scale in (("-lms", 1e-3), ("-l", 1.0)):
        if option in argv[:-1]:
            return float(argv[argv.index(option) + 1]) * scale
    return None


def _rows(call: Call, columns: Sequence[str], *, nounits: bool) -> list[str]:
    rows = []
    for index, gpu in enumerate(call.host.shown):
        fields = fields_of(call.world, call.host, gpu, index, busy=call.machine.loads > 0)
        cells = []
        for column in columns:
            text = COLUMNS[column].format_map(fields)
            if text == "N/A" or (gpu.lost and column in SILENT):
                text = f"[{LOST if gpu.lost else text}]"
            bare = (nounits and text[:1].isdigit()) or (column in BARE and not gpu.lost)
            cells.append(text.split(" ")[0] if bare else text)
        rows.append(", ".join(cells) + "\n")
    return rows
