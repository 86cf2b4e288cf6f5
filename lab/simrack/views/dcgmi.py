"""`dcgmi dmon -e 230`: the last Xid of each GPU, however long ago, as a gauge shows it."""

from __future__ import annotations

import re

from lab.simrack.machine import Call
from lab.simrack.views.kernel_log import kernel_log

LAST_XID = "230"
"""DCGM_FI_DEV_XID_ERRORS (dcgm_fields.h)."""
_XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-f:]+)\): (\d+),")


async def dmon(call: Call) -> int:
    words = call.argv[1:]
    if words[:1] != ("dmon",) or LAST_XID not in words:
        return call.fail(f"simrack: dcgmi has only: dmon -e {LAST_XID} -c COUNT\n")
    last = dict(call.host.setup.remembered_xids)
    for message in kernel_log(call.machine):
        if match := _XID.match(message.text):
            last[match[1]] = int(match[2])
    call.write("#Entity   XIDER\nID             \n")
    for index, gpu in enumerate(call.host.shown):
        code = last.get(gpu.pci.rsplit(".", 1)[0].lower())
        call.write(f"GPU {index:<6}{'N/A' if code is None else code:<8}\n")
    return 0
