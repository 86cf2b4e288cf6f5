"""`python -m lab.simrack`: what the virtual rack can do without pytest."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fixtures.model.errors import RackError
from fixtures.model.lab import parse_fault
from fixtures.model.loading import load_inventory
from lab.simrack import cases, child
from lab.simrack.catalogue import as_json, as_text
from lab.simrack.embedded import write
from lab.simrack.handle import LabHandle, start
from lab.simrack.matrix import command, report

INVENTORIES = Path(__file__).parents[2] / "inventories"
USAGE_ERROR = 4


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    match options.command:
        case "inventories":
            for path in write(INVENTORIES):
                print(f"written: {path}")
        case "faults":
            print(as_json() if options.json else as_text())
        case "serve":
            return child.main(options.state_dir)
        case "up":
            return _up(options)
        case "matrix":
            return command.run(options, INVENTORIES)
        case "cases":
            print(cases.as_text())
        case "summary":
            return report.run(options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.simrack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("inventories", help="rewrite the embedded inventories")
    faults = commands.add_parser("faults", help="list the fault library and the healthy variants")
    faults.add_argument("--json", action="store_true", help="as a list of JSON objects")
    commands.add_parser("cases", help="what stands for each public report, or why nothing does")
    command.add_to(commands)
    serve = commands.add_parser("serve", help="(internal) serve the world on standard input")
    serve.add_argument("--state-dir", type=Path, required=True)
    up = commands.add_parser("up", help="run a rack in the foreground until Ctrl-C")
    up.add_argument("--inventory", default="rack7")
    up.add_argument("--fault", action="append", default=[], metavar="KIND@PART[:key=value,…]")
    up.add_argument("--seed", type=int, default=0)
    up.add_argument("--state-dir", type=Path, default=None)
    return parser


def _up(options: argparse.Namespace) -> int:
    folder = options.state_dir or Path(tempfile.mkdtemp(prefix="simrack-"))
    try:
        faults = [parse_fault(text) for text in options.fault]
        inventory = load_inventory(options.inventory, INVENTORIES)
        lab = start(inventory, state_dir=folder, seed=options.seed, faults=faults)
    except RackError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    try:
        print(_how_to_reach(lab))
        signal.sigwait((signal.SIGINT, signal.SIGTERM))
    except KeyboardInterrupt:
        pass
    finally:
        lab.stop()
    return 0


def _how_to_reach(lab: LabHandle) -> str:
    info = lab.info
    address, port = next(iter(info.endpoints.values()))
    return (
        f"{len(info.endpoints)} hosts listen at port {port}\n"
        f"known_hosts: {info.known_hosts}\nkey: {info.key}\n"
        f"ssh -F none -i {info.key} -o UserKnownHostsFile={info.known_hosts} -p {port} "
        f"{info.user}@{address} nvidia-smi -L"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
