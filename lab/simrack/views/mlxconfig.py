"""`mlxconfig -d DEVICE -e q PCI_WR_ORDERING`: what a NIC keeps in its firmware."""

from __future__ import annotations

from lab.simrack.machine import Call

NUMBERS = {"per_mkey": 0, "force_relax": 1}
DEFAULT = "per_mkey"
HEAD = """
Device #1:
----------

Device type:        ConnectX7
Name:               MCX75310AAS-NEA_Ax
Description:        NVIDIA ConnectX-7 adapter card
Device:             {device}

"""
COLUMNS = f"Configurations:{'':<37}{'Default':<20}{'Current':<20}Next Boot\n"


async def run(call: Call) -> int:
    words = list(call.argv)
    device = words[words.index("-d") + 1] if "-d" in words[:-1] else ""
    port = next((one for one in call.host.fitted if one.device == device), None)
    if port is None:
        call.write(f"-E- Failed to open device: {device}. No such file or directory\n")
        return 3
    if words[-1] != "PCI_WR_ORDERING" or words[3:5] != ["-e", "q"]:
        return call.fail("-E- The lab's NICs know one setting, PCI_WR_ORDERING\n", 3)
    value = port.card.write_ordering
    cells = "".join(f"{one}({NUMBERS[one]})".ljust(20) for one in (DEFAULT, value, value))
    mark = " " if value == DEFAULT else "*"
    call.write(
        f"{HEAD.format(device=device)}{COLUMNS}{mark}       {words[-1]:<44}{cells.rstrip()}\n"
    )
    return 0
