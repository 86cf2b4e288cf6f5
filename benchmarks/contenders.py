"""Three ways to ask every host: ours, ClusterShell with OpenSSH, and parallel-ssh.

Each logs in with the same key and runs the same exec string. A second `collect` uses the
connections that are still open, where the tool keeps any.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from benchmarks.workload import Answers, Workload
from fixtures.model.errors import RackError
from fixtures.transport.base import CommandResult, Transport
from fixtures.transport.connect import Connector
from fixtures.transport.evidence import RecordingTransport
from fixtures.transport.limiter import HandshakeLimiter
from fixtures.transport.pool import collect
from fixtures.transport.reach import Transports
from fixtures.transport.ssh import SshTransport
from fixtures.transport.store import EvidenceStore
from plugins.connect import target_of

CONNECT_S: Final = 30
"""Seconds that a tool may take for one login; all get the same."""


class Contender(Protocol):
    """A tool that asks every host of a workload; it is imported before it is timed."""

    def collect(self) -> Answers:
        """Everything that every host answered, received and decoded."""
        ...

    def close(self) -> None: ...


class Rackgate:
    """This suite, as `plugins.connect` and `fixtures.hosts` put it together.

    Evidence is kept, as in every run: a file per command. `bare` leaves that away, as the other
    tools do, and shows what the transport alone takes.
    """

    def __init__(self, workload: Workload, folder: Path, bare: bool = False) -> None:
        self._workload = workload
        inventory = workload.inventory
        store = EvidenceStore(folder, "main")
        connector = Connector(HandshakeLimiter(inventory.ssh.handshakes_per_server))

        def connect(host: str) -> Transport:
            target = target_of(inventory, inventory.hosts[host])
            inner = SshTransport(target, run_id="bench", connector=connector)
            return inner if bare else RecordingTransport(inner, store)

        self._transports = Transports(connect, [connector])

    def collect(self) -> Answers:
        def ask(host: str) -> list[CommandResult]:
            return self._transports.to(host).bundle(self._workload.commands(host))

        asked = collect(self._workload.hosts, ask)
        return {host: [] if isinstance(got, RackError) else got for host, got in asked.items()}

    def close(self) -> None:
        self._transports.close()


class Clush:
    """ClusterShell's ssh worker, which `clush` is a command line for; one `ssh` per host.

    ClusterShell keeps no connection; each collection logs in again. Output arrives split in lines.
    """

    def __init__(self, workload: Workload, folder: Path, fanout: int = 64) -> None:
        from ClusterShell.NodeSet import NodeSet
        from ClusterShell.Task import task_self

        self._workload = workload
        self._task = task_self()
        self._task.set_info("fanout", fanout)
        self._task.set_info("connect_timeout", CONNECT_S)
        self._task.set_info("ssh_user", workload.lab.user)
        self._task.set_info("ssh_options", shlex.join(_openssh_options(workload)))
        self._task.set_default("stderr", True)
        lines = defaultdict(list)
        for host, address in workload.hosts.items():
            lines[workload.line(host)].append(address)
        self._asked = {line: NodeSet.fromlist(nodes) for line, nodes in lines.items()}
        self._names = {address: host for host, address in workload.hosts.items()}

    def collect(self) -> Answers:
        workers = [self._task.shell(line, nodes=nodes) for line, nodes in self._asked.items()]
        self._task.resume()
        answers: Answers = {host: [] for host in self._workload.hosts}
        for worker in workers:
            for output, nodes in worker.iter_buffers():
                for node in nodes:
                    host = self._names[node]
                    answers[host] = self._workload.decoded(host, bytes(output))
        return answers

    def close(self) -> None:
        self._task.abort()


def _openssh_options(workload: Workload) -> list[str]:
    lab = workload.lab
    settings = {
        "BatchMode": "yes",
        "ControlMaster": "no",
        "GlobalKnownHostsFile": "none",
        "IdentitiesOnly": "yes",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": str(lab.known_hosts),
    }
    pairs = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    return ["-F", "none", "-p", str(workload.port), "-i", str(lab.key), *pairs]


class ParallelSsh:
    """parallel-ssh's native client: libssh2 in C under gevent, one greenlet per host.

    It has no known_hosts and accepts any host key. Output arrives as lines of text.
    """

    def __init__(self, workload: Workload, folder: Path) -> None:
        from pssh.clients import ParallelSSHClient

        self._workload = workload
        self._client: Any = None
        self._make: Callable[[], Any] = lambda: ParallelSSHClient(
            list(workload.hosts.values()),
            user=workload.lab.user,
            port=workload.port,
            pkey=str(workload.lab.key),
            pool_size=len(workload.hosts),
            allow_agent=False,
            identity_auth=False,
            timeout=CONNECT_S,
        )
        self._lines = [workload.line(host) for host in workload.hosts]

    def collect(self) -> Answers:
        if self._client is None:
            self._client = self._make()
        outputs = self._client.run_command("%s", host_args=self._lines, stop_on_errors=False)
        answers: Answers = {}
        for host, output in zip(self._workload.hosts, outputs, strict=True):
            text = "\n".join(output.stdout) + "\n" if output.exception is None else ""
            answers[host] = self._workload.decoded(host, text.encode())
        return answers

    def close(self) -> None:
        self._client = None
