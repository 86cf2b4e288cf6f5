"""Measures the suite against its peers, and where a run's time goes.

python -m benchmarks                     everything (`make bench`)
python -m benchmarks facts --rounds 9    only the collection of facts
python -m benchmarks phases              only the run, split by phase
python -m benchmarks readers             only readers, on what the largest sites print
python -m benchmarks shares              only the run, split by part of the suite
python -m benchmarks outliers            only the test for stragglers: false alarms and power
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import facts, outliers, phases, readers, shares


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "part",
        nargs="?",
        choices=("all", "facts", "phases", "shares", "readers", "outliers"),
        default="all",
    )
    parser.add_argument("--inventory", default="rack42")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds")
    parser.add_argument(
        "--fanout-rounds", type=int, default=1, help="tries per clush fan-out; 0: no clush"
    )
    parser.add_argument("--hcas", type=int, default=35_000, help="size of the fabric to read")
    parser.add_argument(
        "--populations", type=int, default=20_000, help="drawn for each rate of false alarms"
    )
    parser.add_argument("--seed", type=int, default=1, help="of those populations")
    options = parser.parse_args(arguments)
    if options.part in ("all", "facts"):
        print(facts.report(options.inventory, options.rounds, options.fanout_rounds), flush=True)
    if options.part in ("all", "phases"):
        print("\n" + phases.report(options.inventory), flush=True)
    if options.part in ("all", "shares"):
        print("\n" + shares.report(options.inventory), flush=True)
    if options.part in ("all", "readers"):
        print("\n" + readers.report(options.inventory, options.hcas, options.rounds), flush=True)
    if options.part == "outliers":
        print(outliers.report(options.populations, options.seed), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
