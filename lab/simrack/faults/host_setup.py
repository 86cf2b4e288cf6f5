"""Faults of how a host is set up: services, versions that do not fit, limits, what is left over."""

from __future__ import annotations

from dataclasses import replace

from lab.simrack.faults.changes import number
from lab.simrack.faults.declare import Change, Fault, Params, Target, accepted, rejected
from lab.simrack.host_setup import Service

FABRIC_MANAGER, IMEX = "nvidia-fabricmanager", "nvidia-imex"


def _service(name: str, **values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        unit = target.host.setup.services[name]
        for key, value in values.items():
            setattr(unit, key, value)

    return change


def _other_manager(target: Target, params: Params) -> None:
    """It refuses to run, and no GPU gets into its fabric."""
    target.host.setup.fabric_manager_version = params["version"]
    target.host.setup.services[FABRIC_MANAGER].active = "failed"
    for gpu in target.host.gpus:
        gpu.fabric.state = "In Progress"


def _manager_anew(target: Target, params: Params) -> None:
    target.host.setup.services[FABRIC_MANAGER].since_s = number(params, "seconds")


def _ofed(target: Target, params: Params) -> None:
    target.host.setup.ofed = params["version"]


def _memlock(target: Target, params: Params) -> None:
    target.host.setup.memlock_kib = int(number(params, "kib"))


def _memory(target: Target, params: Params) -> None:
    target.host.setup.memory_lost = number(params, "part")


def _cma(target: Target, params: Params) -> None:
    target.host.setup.cma_kib = int(number(params, "kib"))


def _nccl_file(target: Target, params: Params) -> None:
    target.host.setup.files[params["file"]] = f"# tuned\n{params['name']}={params['value']}\n"


def _nccl_environment(target: Target, params: Params) -> None:
    target.host.setup.environment[params["name"]] = params["value"]


def _comments(target: Target, _: Params) -> None:
    target.host.setup.files["/etc/nccl.conf"] = "# NCCL_IB_USE_INLINE=1\n\n"


def _failed_manager(target: Target, _: Params) -> None:
    """Somebody's recipe for HGX nodes has installed it where there is nothing to manage."""
    unit = Service(installed="loaded", active="failed", enabled=True)
    target.host.setup.services[FABRIC_MANAGER] = unit


def _on_hgx(fault: Fault) -> Fault:
    return replace(fault, needs="nvswitches")


def _on_nvl(fault: Fault) -> Fault:
    return replace(fault, fabric=True)


HOST_SETUP: tuple[Fault, ...] = (
    _on_hgx(rejected(
        "fabric_manager.wrong_version", "host", _other_manager,
        "the fabric manager is of another version than the driver and does not run",
        sees="identity.fabric_manager_version identity.fabric_manager fabric.state",
        also="nccl.completed nccl.tray_completed nccl.gpu_completed", cases="C05", extra=2,
        params={"version": "570.172.08"},
    )),
    _on_hgx(rejected(
        "fabric_manager.died", "host", _service(FABRIC_MANAGER, active="failed"),
        "the fabric manager has ended after it set the fabric up",
        sees="identity.fabric_manager",
    )),
    _on_hgx(rejected(
        "fabric_manager.restarted", "host", _manager_anew,
        "the fabric manager was started anew and the GPUs were not reset",
        sees="fabric.manager_start_delay", cases="C06", params={"seconds": "17520"},
    )),
    _on_nvl(rejected(
        "imex.disabled", "host", _service(IMEX, active="inactive", enabled=False),
        "IMEX is not configured on the tray, although its set-up ended well",
        sees="identity.imex_service imex.node_state", cases="C26",
        also="imex.node_version imex.domain_state imex.not_connected_pairs",
    )),
    _on_nvl(rejected(
        "imex.not_at_boot", "host", _service(IMEX, enabled=False),
        "IMEX runs on the tray and will not after the next boot",
        sees="identity.imex_service", cases="C27",
    )),
    rejected(
        "ofed.mismatch", "host", _ofed, "the host has another OFED than the site allows",
        sees="identity.ofed", cases="C109", params={"version": "24.04-0.7.0.0"},
    ),
    rejected(
        "memlock.limited", "host", _memlock,
        "what is started over SSH may lock little memory, whatever a login shell says",
        sees="identity.memlock", cases="C70", params={"kib": "64"},
    ),
    rejected(
        "memory.missing", "host", _memory, "a part of the host's memory is not there",
        sees="identity.memory_share", params={"part": "0.0625"},
    ),
    rejected(
        "cma.none", "host", _cma, "the kernel keeps no memory for contiguous allocation",
        sees="identity.cma_total", cases="C71", params={"kib": "0"},
    ),
    rejected(
        "nccl.left_over_file", "host", _nccl_file,
        "a file with settings of NCCL is left over in the host's image",
        sees="identity.nccl_settings nccl.stray_settings", cases="C71",
        params={"file": "/etc/nccl.conf", "name": "NCCL_IB_USE_INLINE", "value": "1"},
    ),
    rejected(
        "nccl.stale_environment", "host", _nccl_environment,
        "every login finds an old setting of NCCL in its environment",
        sees="identity.nccl_settings nccl.stray_settings nccl.tray_all_reduce_busbw",
        also="nccl.rack_all_reduce_busbw nccl.all_reduce_busbw nccl.all_reduce_ratio "
        "nccl.scale_ratio nccl.all_gather_busbw nccl.all_to_all_busbw", cases="C79",
        params={"name": "NCCL_TOPO_FILE", "value": "/opt/old.xml"},
    ),
)  # fmt: skip
VARIANTS: tuple[Fault, ...] = (
    _on_nvl(accepted(
        "fabric_manager.masked", "host", _service(FABRIC_MANAGER, installed="masked"),
        "the fabric manager is masked on a tray that has no NVSwitch of its own", cases="C111",
    )),
    _on_nvl(accepted(
        "fabric_manager.nothing_to_do", "host", _failed_manager,
        "the fabric manager fails on a tray that has no NVSwitch of its own", cases="C15",
    )),
    replace(accepted(
        "persistenced.off", "host",
        _service("nvidia-persistenced", active="inactive", enabled=False),
        "the persistence daemon is not used",
    ), needs="gpus"),
    accepted(
        "nccl.commented_file", "host", _comments,
        "a file of NCCL's settings has nothing but comments", cases="C71",
    ),
)  # fmt: skip
