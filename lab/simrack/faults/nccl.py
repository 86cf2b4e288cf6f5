"""Faults that show in workloads alone: collectives, and the programs that measure."""

from __future__ import annotations

from dataclasses import replace

from lab.simrack.faults.changes import collectives, foreign_nic, gpu, host, number, port
from lab.simrack.faults.declare import Change, Fault, Params, Target, incomplete, rejected

FEWER = "nccl.scale_ratio nccl.all_gather_busbw nccl.all_to_all_busbw"
STOPS_JOBS = "nccl.completed nccl.rack_completed nccl.scale_completed nccl.all_to_all_completed"
PERFTEST = ("ib_write_bw", "ib_write_lat")


def _slow(target: Target, params: Params) -> None:
    target.the_gpu.nccl_factor *= number(params, "factor")


def _wrong(target: Target, params: Params) -> None:
    target.the_gpu.wrong += int(number(params, "count"))


def _storage_nic(target: Target, _: Params) -> None:
    """The kernel found it first: the NIC of the rail got another name."""
    ports = target.host.ports
    free = f"mlx5_{len(ports) + len(target.host.virtual)}"
    ports[-1].device, name = free, ports[-1].device
    ports.append(foreign_nic(target.host, name))


def _no_aggregation(target: Target, _: Params) -> None:
    target.world.network.manager.aggregates = False


def _without(*programs: str) -> Change:
    def change(target: Target, _: Params) -> None:
        target.host.missing.update(programs)

    return change


def _crashing(program: str) -> Change:
    def change(target: Target, _: Params) -> None:
        target.host.crashing.add(program)

    return change


NCCL: tuple[Fault, ...] = (
    rejected(
        "nccl.slow_gpu", "gpu", _slow,
        "collectives that contain the GPU reach a part of their bandwidth",
        sees="nccl.tray_all_reduce_busbw",
        also="nccl.gpu_all_reduce_ratio nccl.rack_all_reduce_busbw nccl.all_reduce_busbw "
        f"nccl.all_reduce_ratio {FEWER}",
        cases="C41 C106", params={"factor": "0.6"},
    ),
    rejected(
        "nccl.wrong_data", "gpu", _wrong,
        "collectives that contain the GPU compute wrong values",
        sees="nccl.tray_wrong nccl.wrong",
        also="nccl.gpu_wrong nccl.rack_wrong nccl.all_to_all_wrong",
        cases="C11",
        params={"count": "3"},
    ),
    rejected(
        "nccl.rank_crashes", "gpu", gpu(rank_crashes=True),
        "the rank on the GPU dies of a segmentation fault",
        sees="nccl.tray_completed", also="nccl.gpu_completed",
    ),
    rejected(
        "nccl.hangs", "gpu", gpu(nccl_hangs=True),
        "copies of the GPU are good, and collectives that contain it never end",
        sees="nccl.tray_completed", also="nccl.gpu_completed", cases="C33",
    ),
    rejected(
        "nccl.unsteady", "gpu", gpu(nccl_unsteady=0.53),
        "collectives that contain the GPU are slow now and then",
        sees="nccl.tray_all_reduce_spread", names="gpu", cases="C89",
    ),
    rejected(
        "nccl.multicast_stale", "host", collectives(multicast_stale=True),
        "the switches were restarted without a reset of the GPUs: multicast groups are refused",
        sees="nccl.tray_completed", cases="C06",
    ),
    rejected(
        "nccl.over_sockets", "host", collectives(verbs=False),
        "libibverbs cannot be loaded, and NCCL falls back to sockets",
        sees="nccl.network nccl.nics",
        also=f"nccl.all_reduce_busbw nccl.collnet_channels {FEWER}",
        cases="C86",
    ),
    rejected(
        "nccl.wrong_nic", "host", _storage_nic,
        "a NIC for storage has the name that one of the rails has on all other hosts",
        sees="nccl.nics", cases="C85", extra=1,  # nobody asks after the name it has now
    ),
    rejected(
        "nccl.old_library", "host", collectives(library="2.21.5+cuda12.4"),
        "the host has an NCCL from before NVLink domains of many trays",
        sees="nccl.version nccl.rack_completed",
        also="nccl.completed nccl.all_to_all_completed", cases="C18", fabric=True,
    ),
    rejected(
        "nccl.ports_closed", "host", collectives(closed=True),
        "the host lets nobody connect to the ports of its ranks: jobs of one host are good",
        sees="nccl.rail_completed nccl.completed nccl.scale_completed nccl.all_to_all_completed",
        also="nccl.rack_completed",
    ),
    rejected(
        "nccl.nic_fails", "port", port(nccl_fails=True),
        "perftest is good over the NIC, and no collective ends over it",
        sees="nccl.rail_completed", also=STOPS_JOBS, names="nic", cases="C75",
    ),
    rejected(
        "nccl.lacks_resources", "host", collectives(most_peers=48),
        "ranks have no resources for a connection to every other rank",
        sees="nccl.all_to_all_completed", names="rack", cases="C91",
    ),
    rejected(
        "nccl.too_many_ranks", "host", collectives(most_ranks=43),
        "jobs of 44 and more ranks die while they are set up, smaller ones are good",
        sees="nccl.rack_completed|nccl.completed",
        also="nccl.completed nccl.scale_completed nccl.all_to_all_completed",
        names="rack", cases="C17",
    ),
    replace(rejected(
        "nccl.sharp_unused", "subnet", _no_aggregation,
        "no manager of aggregation runs beside the master subnet manager: NCCL reduces on the GPUs",
        sees="nccl.collnet_channels", names="domain", cases="C90",
    ), needs="sharp"),
    replace(rejected(
        "nccl.sharp_not_installed", "host", collectives(sharp=False),
        "the host lacks the plugin for SHARP: no job that it is part of reduces in switches",
        sees="nccl.sharp_plugin", cases="C90",
    ), needs="sharp"),
    incomplete(
        "nccl.ranks_apart", "host", collectives(mpi="apart"),
        "nccl-tests was built without MPI: every rank runs by itself",
        sees="nccl.tray_completed", reason="unreadable", cases="C77",
    ),
    incomplete(
        "nccl.mpi_stuck", "host", collectives(mpi="stuck"),
        "programs do not get out of MPI_Init",
        sees="nccl.tray_completed", reason="launch", cases="C93",
    ),
    incomplete(
        "nccl.not_installed", "host", _without("all_reduce_perf"),
        "nccl-tests is not installed on the host",
        sees="nccl.tray_completed", reason="tool-missing",
    ),
    incomplete(
        "nvbandwidth.not_installed", "host", _without("nvbandwidth"),
        "nvbandwidth is not installed on the host",
        sees="nvlink.d2d_bandwidth", reason="tool-missing",
    ),
    incomplete(
        "nvbandwidth.crashes", "host", _crashing("nvbandwidth"),
        "nvbandwidth dies of a segmentation fault",
        sees="nvlink.d2d_bandwidth gpu.pcie_gen_loaded", reason="tool-failed", cases="C99",
    ),
    incomplete(
        "nvbandwidth.test_fails", "host", host(copies_fail=True),
        "a test of nvbandwidth fails, and the program ends with 0",
        sees="nvlink.d2d_bandwidth", reason="tool-failed", cases="C99",
    ),
    incomplete(
        "perftest.not_installed", "host", _without(*PERFTEST),
        "perftest is not installed on the host",
        sees="rdma.write_bw rdma.write_lat_typ", reason="tool-missing",
    ),
    incomplete(
        "perftest.crashes", "host", _crashing("perftest"),
        "perftest dies of a segmentation fault",
        sees="rdma.write_bw rdma.write_lat_typ", reason="tool-failed", cases="C99",
    ),
)  # fmt: skip
