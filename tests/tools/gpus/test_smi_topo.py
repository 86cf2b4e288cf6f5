"""`nvidia-smi topo -m` is read by its header, with tabs or blanks, with and without NICs."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.gpus import smi_topo
from tests.tools.captures import capture, ended

HEALTHY = capture("nvidia-smi-topo", "healthy.txt")
BLANKS = capture("nvidia-smi-topo", "degraded.txt")


def near(row: smi_topo.Row) -> tuple[str | None, str | None, str | None]:
    return row.cpu_affinity, row.numa_affinity, row.gpu_numa_id


def test_an_underlined_header_and_tabs_are_read() -> None:
    found = smi_topo.read(ended(HEALTHY))
    assert found.columns == ("GPU0", "GPU1", "NIC0", "NIC1")
    assert found.row("GPU0").links == {"GPU0": None, "GPU1": "NV18", "NIC0": "PXB", "NIC1": "SYS"}
    assert found.gpu_links == {("GPU0", "GPU1"): "NV18", ("GPU1", "GPU0"): "NV18"}
    assert found.nics == {"NIC0": "mlx5_7", "NIC1": "mlx5_bond_0"}
    assert found.complete


def test_two_tabs_under_a_wide_header_are_one_column() -> None:
    found = smi_topo.parse(HEALTHY)
    assert near(found.row("GPU0")) == ("0-31,128-159", "0", "3")
    assert near(found.row("GPU1")) == ("32-63", "1", None)
    assert near(found.row("NIC1")) == (None, None, None)


def test_blanks_in_place_of_tabs_are_read() -> None:
    found = smi_topo.parse(HEALTHY.expandtabs(8))
    assert found == smi_topo.parse(HEALTHY)


def test_old_drivers_name_the_nics_in_the_header() -> None:
    found = smi_topo.parse(BLANKS)
    assert found.row("GPU1").links["mlx5_0"] == "NODE"
    assert near(found.row("GPU2")) == ("24-47", "1", None)
    assert not found.complete  # the NIC has no row


@pytest.mark.parametrize("text", [capture("nvidia-smi-topo", "windows.txt")])
def test_empty_affinities_are_unknown_and_not_shifted(text: str) -> None:
    for form in (text, text.expandtabs(8)):
        assert near(smi_topo.parse(form).row("GPU1")) == (None, None, None)


def test_a_single_cpu_is_no_numa_node() -> None:
    text = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t7\t\t\tN/A\n"
    assert near(smi_topo.parse(text).row("GPU0")) == ("7", None, None)
    assert near(smi_topo.parse(text.expandtabs(8)).row("GPU0")) == (None, None, None)


def test_peer_to_peer_states_are_read() -> None:
    found = smi_topo.parse(capture("nvidia-smi-topo", "p2p.txt"))
    assert found.gpu_links == {("GPU0", "GPU1"): "OK", ("GPU1", "GPU0"): "NS"}


def test_rows_that_are_missing_make_it_incomplete() -> None:
    rows = BLANKS.splitlines(keepends=True)
    assert not smi_topo.parse("".join(rows[:3])).complete


def test_rows_behind_those_that_were_left_out_are_read() -> None:
    rows = BLANKS.splitlines(keepends=True)
    found = smi_topo.parse("".join([*rows[:2], "...\n", *rows[3:]]))
    assert [row.device for row in found.rows][:2] == ["GPU0", "GPU2"]
    assert not found.complete


def test_blanks_in_place_of_some_tabs_are_read() -> None:
    text = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV6  6,14\nGPU1\tNV6\t X \t4,12\n"
    assert [row.cpu_affinity for row in smi_topo.parse(text).rows] == ["6,14", "4,12"]


@pytest.mark.parametrize("lost", [1, 8, 12, 20, 26])
def test_a_last_row_that_is_cut_is_left_out(lost: int) -> None:
    cut = BLANKS.rstrip("\n")[:-lost]
    found = smi_topo.parse(cut)
    assert [row.device for row in found.rows][:2] == ["GPU0", "GPU1"]
    assert all(link != "SY" for row in found.rows for link in row.links.values())


def test_a_connection_that_may_have_lost_its_end_is_left_out() -> None:
    text = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV18\t0-7\n"
    assert smi_topo.parse(text).rows[0].links["GPU1"] == "NV18"
    with pytest.raises(Unreadable, match="0 rows"):
        smi_topo.parse(text[: text.index("8\t0-7")])


def test_a_matrix_whose_rows_do_not_fit_its_columns_is_implausible() -> None:
    with pytest.raises(Implausible, match="its own column"):
        smi_topo.parse(BLANKS.replace("GPU1    NV12     X  ", "GPU1     X      NV12"))


def test_a_driver_mismatch_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="mismatch"):
        smi_topo.read(ended(capture("nvidia-smi-topo", "failed.txt"), rc=18))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        BLANKS.replace("NV12    SYS ", "NV12        ", 1),
        BLANKS.replace("PXB", "FAST"),
        BLANKS.replace("GPU2    SYS", "GPU7    SYS"),
        "GPU0 GPU1\n",
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        smi_topo.parse(text)
