"""One contender, once, in a process of its own: two collections, timed, as one line of JSON.

python -m benchmarks.once NAME SPEC FOLDER       (started by `benchmarks.facts`)
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.contenders import Clush, Contender, ParallelSsh, Rackgate
from benchmarks.workload import Workload, digest
from fixtures.model.lab import LabEndpoints

CONTENDERS: dict[str, Callable[[Workload, Path], Contender]] = {
    "rackgate": Rackgate,
    "rackgate, bare": partial(Rackgate, bare=True),
    "parallel-ssh": ParallelSsh,
    **{f"clush -f {fanout}": partial(Clush, fanout=fanout) for fanout in (16, 32, 64, 128)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """One collection: wall time, and CPU seconds of the client (with its children) and the lab."""

    wall_s: float
    client_cpu_s: float
    server_cpu_s: float
    digests: dict[str, str]


def spec(name: str, lab: LabEndpoints, server_pid: int) -> dict[str, Any]:
    """What this module needs to know of a lab that another process started."""
    return {
        "inventory": name,
        "server_pid": server_pid,
        "endpoints": {host: list(where) for host, where in lab.endpoints.items()},
        "known_hosts": str(lab.known_hosts),
        "user": lab.user,
        "key": str(lab.key),
    }


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far, user and system (proc(5), stat fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(contender: Contender, server_pid: int) -> Timing:
    client, server, began = _own_cpu(), cpu_of(server_pid), time.monotonic()
    answers = contender.collect()
    wall_s = time.monotonic() - began
    return Timing(
        wall_s=wall_s,
        client_cpu_s=_own_cpu() - client,
        server_cpu_s=cpu_of(server_pid) - server,
        digests={host: digest(results) for host, results in answers.items()},
    )


def _own_cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main(name: str, spec_path: Path, folder: Path) -> int:
    told = json.loads(spec_path.read_text(encoding="utf-8"))
    lab = LabEndpoints(
        endpoints={host: (where[0], where[1]) for host, where in told["endpoints"].items()},
        known_hosts=Path(told["known_hosts"]),
        user=told["user"],
        key=Path(told["key"]),
    )
    contender = CONTENDERS[name](Workload.of(told["inventory"], lab), folder)
    timings = [asdict(timed(contender, told["server_pid"])) for _ in ("first", "again")]
    contender.close()
    sys.stdout.write(json.dumps(timings) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
