"""Start, look at and end a lab by hand: `python -m lab.softroce up|status|down`."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fixtures.model.lab import LabEndpoints
from lab.softroce.errors import LabError
from lab.softroce.guests import start_guests
from lab.softroce.recipe import cache_folder
from lab.softroce.registry import end_leftovers, entry_path, read_entry
from lab.softroce.spec import GuestSpec

_END_DEADLINE_S = 15.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 when done, 1 with a message when the lab has trouble."""
    parser = argparse.ArgumentParser(prog="python -m lab.softroce", description=__doc__)
    parser.add_argument("do", choices=("up", "status", "down"))
    parser.add_argument("--hosts", type=int, default=2, help="guests to start (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="for the switch's random losses")
    options = parser.parse_args(arguments)
    folder = cache_folder() / "up"
    try:
        if options.do == "up":
            up(folder, hosts=options.hosts, seed=options.seed)
        elif options.do == "status":
            status(folder)
        else:
            down(folder)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def up(folder: Path, *, hosts: int, seed: int) -> None:
    """Start guests sr01, sr02, … that outlive this command, and print how to reach them."""
    if read_entry(entry_path(folder)):
        end_leftovers()
        if read_entry(entry_path(folder)):
            raise LabError("softroce lab: already up; see `status`, or end it with `down`")
    names = [f"sr{number:02}" for number in range(1, hosts + 1)]
    specs = [
        GuestSpec(name=name, index=index, serial=f"LAB-{name.upper()}")
        for index, name in enumerate(names, 1)
    ]
    lab = start_guests(specs, state_dir=folder, seed=seed, attached=False)
    commands = {name: ssh_command(lab.info, name) for name in names}
    (folder / "up.json").write_text(json.dumps(commands))
    print("\n".join(commands.values()))


def status(folder: Path) -> None:
    """Print every process of the lab, and the SSH command of each guest."""
    entry = read_entry(entry_path(folder))
    if entry is None or not entry.keeper.alive():
        print("softroce lab: down")
        return
    for process in [entry.keeper, *entry.processes]:
        print(f"{process.name:8} pid {process.pid:<8} {'up' if process.alive() else 'ended'}")
    print("\n".join(json.loads((folder / "up.json").read_text()).values()))


def down(folder: Path) -> None:
    """End the lab that `up` has started, and wait until it is gone."""
    entry = read_entry(entry_path(folder))
    if entry is None:
        print("softroce lab: down already")
        return
    entry.keeper.send(signal.SIGTERM)
    until = time.monotonic() + _END_DEADLINE_S
    while entry.keeper.alive() and time.monotonic() < until:
        time.sleep(0.05)
    entry.keeper.send(signal.SIGKILL)
    end_leftovers()


def ssh_command(info: LabEndpoints, name: str) -> str:
    """A line for a shell that opens a session on the guest, its host key checked."""
    address, port = info.endpoints[name]
    options = [f"UserKnownHostsFile={info.known_hosts}", "StrictHostKeyChecking=yes"]
    argv = ["ssh", "-i", str(info.key), "-p", str(port)]
    argv += [word for option in options for word in ("-o", option)]
    return shlex.join([*argv, f"{info.user}@{address}"])


if __name__ == "__main__":
    sys.exit(main())
