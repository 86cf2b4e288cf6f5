"""A process that has loaded the suite, and is forked for each run: imports are paid once.

    python -m lab.simrack.matrix.prepared -q --inventory rack7      (started by `runner`)

Reads orders on standard input, one line of JSON each, and answers each with a line when its run has
ended. A run is a process with state, output and run folder of its own, as any run of the suite is.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import pytest

NEEDED: Final = ("lab.simrack.memory", "jinja2.ext", "defusedxml.ElementTree")
"""What a run imports late."""
NO_STATUS: Final = 70
"""Of a run that ended before pytest did (EX_SOFTWARE)."""


def main(arguments: Sequence[str]) -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    _output_to(os.devnull)
    pytest.main([*arguments, "--plan"])
    for name in NEEDED:
        import_module(name)
    gc.collect()
    gc.freeze()  # else every run would copy all pages of what is loaded
    for order in sys.stdin:
        answers.write(json.dumps(_run(json.loads(order))) + "\n")
        answers.flush()
    return 0


def _run(order: dict[str, object]) -> dict[str, object]:
    arguments, printed = order["arguments"], str(order["printed"])
    assert isinstance(arguments, list)
    child = os.fork()
    if not child:
        _be_a_run(arguments, printed)
    _, status, used = os.wait4(child, 0)
    return {
        "exit_status": os.waitstatus_to_exitcode(status),
        "cpu_s": round(used.ru_utime + used.ru_stime, 2),
    }


def _be_a_run(arguments: Sequence[str], printed: str) -> None:
    """Run, and end this process whatever happens."""
    status = NO_STATUS
    try:
        random.seed()
        _output_to(printed)
        status = int(pytest.main(list(arguments)))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _output_to(path: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target in (1, 2):
        os.dup2(file, target)
    if path != os.devnull:  # orders are not for runs
        os.dup2(nothing, 0)
    os.close(file)
    os.close(nothing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
