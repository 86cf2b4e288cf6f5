"""What a healthy part of each product shows: the constants that views print.

Identifiers are those that the tools print on such hardware. Bandwidths are the typical figures of
the profiles in `inventories/profiles`, where each has its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fixtures.model.errors import InventoryError


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProduct:
    """A GPU as the driver describes it; bandwidths in GB/s, powers in W, memory in MiB."""

    name: str
    architecture: str
    board_part: str
    gpu_part: str
    image: str
    device_id: str
    sub_system_id: str
    max_device_gen: int
    memory_mib: int
    bar1_mib: int
    remap_banks: int
    idle_w: float
    limit_w: int
    module_limit_w: int | None
    boost_mhz: int
    memory_mhz: int
    links: int
    link_gbytes: float
    d2d_gbytes: float
    h2d_gbytes: float
    clustered: bool
    host_product: str
    bios: str
    os_name: str
    memory_total_kb: int
    busbw_by_size: Mapping[int, float]
    busbw_by_ranks: Mapping[int, float]
    against_all_reduce: Mapping[str, Mapping[int, float]]


GIB = 1 << 30
GB200 = GpuProduct(
    name="NVIDIA GB200",
    architecture="Blackwell",
    board_part="900-2G548-A801-000",
    gpu_part="2941-892-A1",
    image="G548.0201.00.06",
    device_id="294110DE",
    sub_system_id="204610DE",
    max_device_gen=6,
    memory_mib=189471,
    bar1_mib=262144,
    remap_banks=3968,
    idle_w=165.9,
    limit_w=1200,
    module_limit_w=2500,
    boost_mhz=2062,
    memory_mhz=3996,
    links=18,
    link_gbytes=53.125,
    d2d_gbytes=770.0,
    h2d_gbytes=392.0,
    clustered=True,
    host_product="GB200 NVL",
    bios="01.05.03",
    os_name="Ubuntu 24.04.3 LTS",
    memory_total_kb=1_784_320_512,
    busbw_by_size={
        GIB // 2: 586.0,
        GIB: 681.0,
        2 * GIB: 758.0,
        4 * GIB: 840.0,
        8 * GIB: 840.0,
        16 * GIB: 842.0,
    },
    busbw_by_ranks={4: 0.82, 8: 0.995, 16: 1.048, 72: 1.0, 144: 0.985, 576: 0.97},
    against_all_reduce={
        "all_gather_perf": {8: 0.811, 16: 0.69},
        "reduce_scatter_perf": {8: 0.811, 16: 0.69},
        "alltoall_perf": {8: 0.816, 16: 0.644},
    },
)
H100 = GpuProduct(
    name="NVIDIA H100 80GB HBM3",
    architecture="Hopper",
    board_part="692-2G520-0200-000",
    gpu_part="2330-885-A1",
    image="G520.0200.00.05",
    device_id="233010DE",
    sub_system_id="16C110DE",
    max_device_gen=5,
    memory_mib=81559,
    bar1_mib=131072,
    remap_banks=2560,
    idle_w=69.8,
    limit_w=700,
    module_limit_w=None,
    boost_mhz=1980,
    memory_mhz=2619,
    links=18,
    link_gbytes=26.562,
    d2d_gbytes=390.0,
    h2d_gbytes=55.2,
    clustered=False,
    host_product="HGX H100",
    bios="1.6.7",
    os_name="Ubuntu 22.04.5 LTS",
    memory_total_kb=2_113_441_792,
    busbw_by_size={
        GIB // 64: 234.0,
        GIB // 2: 458.0,
        GIB: 466.0,
        4 * GIB: 474.0,
        8 * GIB: 477.0,
        16 * GIB: 478.9,
    },
    busbw_by_ranks={8: 1.0, 16: 1.01, 64: 0.811},
    against_all_reduce={
        "all_gather_perf": {8: 0.754, 16: 0.7},
        "reduce_scatter_perf": {8: 0.758, 16: 0.7},
        "alltoall_perf": {8: 0.75, 16: 0.163, 64: 0.11},
    },
)
PRODUCTS: Mapping[str, GpuProduct] = {
    "nvl576": GB200,
    "nvl72": GB200,
    "hgx": H100,
    "rdma-hosts": H100,
}


def gpu_product(product: str) -> GpuProduct:
    """The GPU of an inventory's product; InventoryError where the lab models none."""
    found = PRODUCTS.get(product)
    if found is None:
        raise InventoryError(f"simrack models no product {product!r}; it has {', '.join(PRODUCTS)}")
    return found
