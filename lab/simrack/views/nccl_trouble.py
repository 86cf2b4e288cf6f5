"""What breaks a collective, and what the program, NCCL and the launcher say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.simrack.views.nccl_log import Rank, adapters_of
from lab.simrack.views.nccl_traffic import crosses_network
from lab.simrack.views.nvbandwidth import SEGFAULT

TEST_FAILURE, ABORTED = 3, 134
FIRST_FOR_DOMAINS, SMALL_JOB = (2, 25), 8
"""The release since which jobs over more trays of an NVLink domain than these do not abort
(NVIDIA/nccl#1611)."""
STUCK = (
    "ucc_core_addr_exchange: oob allgather timeout, 4 of 8 ranks answered\n"
    "ucc_context.c: failed to create the context: Operation timed out\n"
    "It looks like MPI_INIT failed for some reason; your parallel process is likely to abort.\n"
)
_RULE = "-" * 74


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """How a job ends that does not reach its table; one that hangs ends not at all."""

    stdout: str = ""
    stderr: str = ""
    rc: int = TEST_FAILURE
    hangs: bool = False


def of(program: str, ranks: Sequence[Rank], clustered: bool) -> Trouble | None:
    """The first thing that keeps a job from its results. `clustered`: NVLinks go beyond a host."""
    causes: tuple[Callable[[], Trouble | None], ...] = (
        lambda: _crash(next((rank for rank in ranks if rank.gpu.rank_crashes), None)),
        lambda: _cuda(program, ranks),
        lambda: _closed(program, ranks),
        lambda: _hang(ranks),
        lambda: _multicast(program, ranks),
        lambda: _too_many(ranks),
        lambda: _corrupted_heap(ranks, clustered),
        lambda: _no_resources(program, ranks),
        lambda: _unconfirmed(program, ranks, clustered),
    )
    return next((found for cause in causes if (found := cause()) is not None), None)


def _crash(rank: Rank | None) -> Trouble | None:
    """What a rank and its launcher say when it dies of a bad address."""
    if rank is None:
        return None
    host = rank.machine.state.name
    return Trouble(
        stderr=f"[{host}:{rank.pid}] *** Process received signal ***\n"
        f"[{host}:{rank.pid}] Signal: Segmentation fault (11)\n"
        f"[{host}:{rank.pid}] *** End of error message ***\n{_signalled(rank, 11)}",
        rc=SEGFAULT,
    )


def _signalled(rank: Rank, signal: int) -> str:
    words = {11: "Segmentation fault", 6: "Aborted"}[signal]
    return (
        f"{_RULE}\nmpirun noticed that process rank {rank.number} with PID {rank.pid} on node "
        f"{rank.machine.state.name} exited on signal {signal} ({words}).\n{_RULE}\n"
    )


def _cuda(program: str, ranks: Sequence[Rank]) -> Trouble | None:
    for rank in ranks:
        if rank.gpu.lost:
            return _failure(program, rank, "Test CUDA failure common.cu:1208 'unknown error'")
        if not rank.gpu.fabric.joined:
            text = "Test CUDA failure common.cu:1208 'system not yet initialized'"
            return _failure(program, rank, text)
    return None


def _closed(program: str, ranks: Sequence[Rank]) -> Trouble | None:
    """Another host's rank cannot connect to one of this host's."""
    closed = next((rank for rank in ranks if rank.machine.state.nccl.closed), None)
    other = next((rank for rank in ranks if closed and rank.machine is not closed.machine), None)
    if closed is None or other is None:
        return None
    address = f"{closed.machine.state.address}<{40_000 + closed.number}>"
    text = f"socketPollConnect: connect to {address} returned No route to host"
    said = "Test NCCL failure common.cu:958 'unhandled system error'"
    return _failure(program, other, said, other.warns("misc/socket.cc:575", text))


def _hang(ranks: Sequence[Rank]) -> Trouble | None:
    hung = len(ranks) > 1 and any(rank.gpu.nccl_hangs for rank in ranks)
    return Trouble(hangs=True) if hung else None


def _multicast(program: str, ranks: Sequence[Rank]) -> Trouble | None:
    """NCCL reduces in the switches where more than two GPUs take part."""
    rank = next((one for one in ranks if one.machine.state.nccl.multicast_stale), None)
    if rank is None or len(ranks) <= 2:
        return None
    warned = rank.warns("transport/nvls.cc:194", "Cuda failure 1 'invalid argument'")
    text = "Test NCCL failure common.cu:958 'unhandled cuda error (run with NCCL_DEBUG=INFO)'"
    return _failure(program, rank, text, warned)


def _too_many(ranks: Sequence[Rank]) -> Trouble | None:
    limits = [rank.machine.state.nccl.most_ranks for rank in ranks]
    least = min((limit for limit in limits if limit is not None), default=len(ranks))
    return _crash(ranks[0]) if len(ranks) > least else None


def _corrupted_heap(ranks: Sequence[Rank], clustered: bool) -> Trouble | None:
    old = next((r for r in ranks if r.machine.state.nccl.version < FIRST_FOR_DOMAINS), None)
    trays = len({id(rank.machine) for rank in ranks})
    if old is None or not clustered or trays <= SMALL_JOB:
        return None
    return Trouble(stderr=f"double free or corruption (out)\n{_signalled(old, 6)}", rc=ABORTED)


def _no_resources(program: str, ranks: Sequence[Rank]) -> Trouble | None:
    """Every rank has a connection to every other in an all-to-all, and to a few else."""
    if program != "alltoall_perf":
        return None
    for rank in ranks:
        most = rank.machine.state.nccl.most_peers
        if most is not None and len(ranks) - 1 > most:
            warned = rank.warns(
                "misc/ibvwrap.cc:205",
                "Call to ibv_create_cq failed with error Cannot allocate memory",
            )
            text = "Test NCCL failure common.cu:958 'unhandled system error'"
            return _failure(program, rank, text, warned)
    return None


def _unconfirmed(program: str, ranks: Sequence[Rank], clustered: bool) -> Trouble | None:
    """The next rank, which waits for what comes over the NIC, is the one that says so."""
    if not crosses_network(ranks, clustered):
        return None
    for rank, following in zip(ranks, [*ranks[1:], ranks[0]], strict=True):
        ports = adapters_of(rank)
        if rank.machine is following.machine or not any(port.nccl_fails for port in ports):
            continue
        address = f"{rank.machine.state.address}<{40_000 + rank.number}>"
        text = (
            f"NET/IB: Got completion from peer {address} with status=12 opcode=0 len=0 "
            "vendor err 129 (Recv)"
        )
        said = (
            "Test NCCL failure common.cu:958 'remote process exited or there was a network error'"
        )
        return _failure(program, following, said, following.warns("transport/net_ib.cc:1955", text))
    return None


def _failure(program: str, rank: Rank, said: str, before: str = "") -> Trouble:
    host = rank.machine.state.name
    source = f"{program.removesuffix('_perf')}.cu:90"
    lines = [
        f"{host}: {said}",
        *(f" .. {host} pid {rank.pid}: Test failure {at}" for at in (source, "common.cu:1012")),
    ]
    return Trouble(
        stdout=before + "".join(f"{line}\n" for line in lines),
        stderr=mpi_end(rank.number, host),
    )


def mpi_end(rank: int, host: str) -> str:
    return (
        f"{_RULE}\nmpirun detected that one or more processes exited with non-zero status, thus "
        f"causing\nthe job to be terminated. The first process to do so was:\n\n"
        f"  Process name: [[52417,1],{rank}] on {host}\n  Exit code:    {TEST_FAILURE}\n{_RULE}\n"
    )
