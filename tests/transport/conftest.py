"""A server per module, and transports to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.transport.connect import Connector
from fixtures.transport.ssh import SshTransport
from tests.transport.sshd import Sshd, sshd


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for keys, so that each kind is made once."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd"), MaxStartups="100", MaxSessions="20") as running:
        yield running


@pytest.fixture
def connector() -> Iterator[Connector]:
    shared = Connector()
    yield shared
    shared.close()


@pytest.fixture
def host(server: Sshd, connector: Connector) -> Iterator[SshTransport]:
    transport = SshTransport(server.target(), run_id="run1", connector=connector)
    yield transport
    transport.close()
