"""The fault library: every fault is one row of a table and one change of the state.

    gpu.missing@r03-ct07/gpu1      clock.skew@r01-ct02:seconds=90      host.hangs@r03

`python -m lab.simrack faults` prints it. The tables stand by area in the modules beside this one;
`lab.simrack.variants` has what looks like a fault and is none, with the same syntax. Faults are
checked against the inventory and applied before the server starts, in the order given; several may
hit the same part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lab.simrack.faults.cabling import CABLING
from lab.simrack.faults.cards import CARDS
from lab.simrack.faults.declare import Fault
from lab.simrack.faults.gpus import GPUS
from lab.simrack.faults.host_setup import HOST_SETUP
from lab.simrack.faults.hosts import HOSTS
from lab.simrack.faults.imex import IMEX
from lab.simrack.faults.infiniband import INFINIBAND
from lab.simrack.faults.kernel_log import KERNEL_LOG
from lab.simrack.faults.memory import MEMORY
from lab.simrack.faults.nccl import NCCL
from lab.simrack.faults.nvlink import NVLINK
from lab.simrack.faults.nvswitch import NVSWITCH
from lab.simrack.faults.rdma import RDMA
from lab.simrack.faults.running import RUNNING
from lab.simrack.faults.trunks import TRUNKS
from lab.simrack.faults.ufm import UFM
from lab.simrack.faults.virtual import VIRTUAL
from lab.simrack.variants import VARIANTS

FAULTS: Sequence[Fault] = (
    *(*HOSTS, *GPUS, *RUNNING, *MEMORY, *NVLINK, *NVSWITCH, *IMEX, *TRUNKS),
    *(*NCCL, *INFINIBAND, *CARDS, *RDMA, *KERNEL_LOG),
    *HOST_SETUP,
    *CABLING,
    *UFM,
    *VIRTUAL,
)
LIBRARY: Mapping[str, Fault] = {fault.kind: fault for fault in (*FAULTS, *VARIANTS)}
"""Faults and healthy variants, by kind."""
