"""Files that say how a host is set up: memory, limits of a process, its environment, NCCL's."""

from __future__ import annotations

from lab.simrack.machine import Machine
from lab.simrack.state import HostState

_LIMITS = (
    ("Max cpu time", "unlimited", "unlimited", "seconds"),
    ("Max file size", "unlimited", "unlimited", "bytes"),
    ("Max open files", "1024", "1048576", "files"),
)
_LOGIN = {"SHELL": "/bin/bash", "HOME": "/root", "LOGNAME": "root", "USER": "root"}


def meminfo(machine: Machine) -> str:
    setup = machine.state.setup
    total_kib = int(machine.site.world.product.memory_total_kb * (1 - setup.memory_lost))
    rows = {"MemTotal": total_kib, "MemFree": total_kib * 97 // 100}
    rows["MemAvailable"] = total_kib * 98 // 100
    rows |= {"SwapTotal": 0, "SwapFree": 0, "CmaTotal": setup.cma_kib, "CmaFree": setup.cma_kib}
    rows["Hugepagesize"] = 2048
    return "".join(f"{name + ':':<16}{value:>12} kB\n" for name, value in rows.items())


def files(host: HostState) -> dict[str, str]:
    """By path; what lies in the home is named as seen from there."""
    environment = {**_LOGIN, **host.setup.environment}
    return {
        "/proc/self/limits": _limits(host.setup.memlock_kib),
        "/proc/self/environ": "".join(f"{key}={value}\0" for key, value in environment.items()),
        **host.setup.files,
    }


def _limits(memlock_kib: int | None) -> str:
    locked = "unlimited" if memlock_kib is None else str(memlock_kib * 1024)
    rows = (
        ("Limit", "Soft Limit", "Hard Limit", "Units"),
        *_LIMITS,
        ("Max locked memory", locked, locked, "bytes"),
    )
    return "".join(f"{name:<26}{soft:<21}{hard:<21}{unit:<10}\n" for name, soft, hard, unit in rows)
