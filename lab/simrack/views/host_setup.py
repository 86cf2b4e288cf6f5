"""Services and versions of a host: `systemctl show`, `modinfo`, `ofed_info`, `nv-fabricmanager`."""

from __future__ import annotations

from collections.abc import Mapping

from lab.simrack.host_setup import Service
from lab.simrack.machine import Call

NOT_FOUND = 127
SUB_STATES = {"active": "running", "inactive": "dead", "failed": "failed"}
UNKNOWN = Service(installed="not-found", active="inactive", enabled=False)


async def systemctl(call: Call) -> int:
    """`systemctl show --property=… UNIT…`: a block for each, also for units that are not there."""
    words = call.argv[1:]
    wanted = next((w.partition("=")[2] for w in words if w.startswith("--property=")), "")
    units = [word for word in words[1:] if not word.startswith("-")]
    if words[:1] != ("show",) or not wanted or not units:
        return call.fail("simrack: systemctl has only: show --property=NAME,… UNIT…\n")
    blocks = []
    for unit in units:
        name = unit.removesuffix(".service")
        shown = _properties(name, call.host.setup.services.get(name, UNKNOWN))
        names = [one for one in wanted.split(",") if one in shown]
        blocks.append("".join(f"{one}={shown[one]}\n" for one in names))
    call.write("\n".join(blocks))
    return 0


def _properties(name: str, service: Service) -> Mapping[str, str]:
    installed = service.installed
    running = service.active == "active"
    files = {"not-found": "", "masked": "masked"}
    return {
        "Id": f"{name}.service",
        "LoadState": installed,
        "ActiveState": service.active,
        "SubState": SUB_STATES[service.active],
        "UnitFileState": files.get(installed, "enabled" if service.enabled else "disabled"),
        "ActiveEnterTimestampMonotonic": str(int(service.since_s * 1e6) if running else 0),
    }


async def modinfo(call: Call) -> int:
    if call.argv[1:] != ("-F", "version", "nvidia"):
        return call.fail("simrack: modinfo has only: -F version nvidia\n")
    if not call.host.gpus:
        return call.fail("modinfo: ERROR: Module nvidia not found.\n")
    call.write(f"{call.host.setup.installed_driver or call.host.driver}\n")
    return 0


async def ofed_info(call: Call) -> int:
    if not call.host.setup.ofed:
        return call.fail("ofed_info: not found\n", NOT_FOUND)
    call.write(f"MLNX_OFED_LINUX-{call.host.setup.ofed}:\n")
    return 0


async def fabric_manager(call: Call) -> int:
    service = call.host.setup.services.get("nvidia-fabricmanager", UNKNOWN)
    if service.installed == "not-found":
        return call.fail("nv-fabricmanager: not found\n", NOT_FOUND)
    version = call.host.setup.fabric_manager_version or call.host.driver
    call.write(f"Fabric Manager version is : {version}\n")
    return 0
