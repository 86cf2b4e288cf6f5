"""One attempt of a reader at any input: it reads what is there, or refuses; nothing else."""

from __future__ import annotations

import json

from fixtures.model.errors import RackError
from fixtures.tools.as_json import plain
from fixtures.tools.readers import READERS
from fixtures.transport.base import CommandResult
from tests.tools.grounded import ungrounded


def attempt(reader: str, raw: bytes) -> None:
    """Fails where the reader raises what is no RackError, or returns what is not in the text."""
    result = CommandResult(host="h", key="k", argv=("t",), rc=0, stdout_bytes=raw)
    try:
        found = READERS[reader](result)
    except RackError as error:
        if error.why == "suite-error":
            raise
        return
    assert found is not None
    json.dumps(plain(found))  # what is worked out of a reading can be, too
    wrong = ungrounded(found, result.stdout)
    assert not wrong, wrong[:5]
