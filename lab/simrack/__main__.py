"""`python -m lab.simrack`: what the virtual rack can do without pytest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.simrack.embedded import write

INVENTORIES = Path(__file__).parents[2] / "inventories"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.simrack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("inventories", help="rewrite the embedded inventories")
    parser.parse_args(arguments)
    for path in write(INVENTORIES):
        print(f"written: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
