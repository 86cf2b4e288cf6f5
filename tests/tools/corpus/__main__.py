"""Count the samples and values that are held, by folder: `python -m tests.tools.corpus`."""

from __future__ import annotations

from tests.tools.corpus.entries import entries, misses


def main() -> int:
    found = entries()
    for folder in sorted({entry.sample.split("/")[0] for entry in found}):
        mine = [entry for entry in found if entry.sample.split("/")[0] == folder]
        wrong = sum(bool(misses(entry)) for entry in mine)
        samples = len({entry.sample for entry in mine})
        checks = sum(entry.checks for entry in mine)
        print(f"{folder:16} {samples:4} samples {checks:5} checks {wrong:3} wrong")
    print(
        f"{'all':16} {len({entry.sample for entry in found}):4} samples "
        f"{sum(entry.checks for entry in found):5} checks"
    )
    for entry in found:
        if entry.doubt:
            print(f"doubt: {entry.sample}: {entry.doubt}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
