"""What a GPU slot shows: nothing that was not measured looks healthy, and no old driver is sick."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Busy, Unreadable
from fixtures.tools.binding.placement import slot_number
from fixtures.tools.binding.slots import GpuSlot
from fixtures.tools.gpus import nvidia_smi
from fixtures.tools.gpus.nvidia_smi import Ecc
from tests.areas.answers import answer, facts, shipped

JOINED = "<state>Completed</state><status>Success</status>"
NVL = {
    "summary": "Healthy", "bandwidth": "Full", "route_recovery_in_progress": "False",
    "route_unhealthy": "False", "access_timeout_recovery": "False",
    "incorrect_configuration": "None",
}  # fmt: skip
LOST = "Unable to determine the device handle for GPU 0000:C3:00.0: GPU is lost.\n"


def slot_of(fabric: str) -> GpuSlot:
    """The first slot of an HGX node whose driver prints this about its only GPU."""
    text = (
        "<nvidia_smi_log><attached_gpus>1</attached_gpus>"
        f'<gpu id="00000000:1B:00.0">{fabric}</gpu></nvidia_smi_log>'
    )
    return facts(shipped("hgx8").hosts["hgx01"], {"nvidia-smi-q": answer(text)}).gpus[0]


def health(**fields: str) -> str | None:
    block = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    return slot_of(f"<fabric>{JOINED}<health>{block}</health></fabric>").fabric_health


def test_a_fabric_that_is_full_and_says_no_to_every_flag_is_healthy() -> None:
    assert health(**NVL) == "Healthy"
    assert health(**{**NVL, "incorrect_configuration": "N/A", "partition_assigned": "N/A"}) == (
        "Healthy"
    )


def test_drivers_without_a_summary_are_healthy_by_their_fields() -> None:
    older = {name: NVL[name] for name in NVL if name != "summary"}
    assert health(**older) == "Healthy"
    assert health(**{**older, "bandwidth": "Degraded"}) == "degraded: bandwidth Degraded"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bandwidth", "Degraded"),
        ("route_unhealthy", "True"),
        ("incorrect_configuration", "Incorrect SysGUID"),
        ("a_field_of_the_next_driver", "Bad"),
        ("summary", "Unhealthy"),
        ("summary", "Limited Capacity"),
    ],
)
def test_any_field_that_is_not_healthy_is_named(field: str, value: str) -> None:
    assert health(**{**NVL, field: value}) == f"degraded: {field} {value}"


def test_a_health_that_nobody_knows_is_not_healthy() -> None:
    assert health(**dict.fromkeys(NVL, "N/A")) == "N/A"
    assert slot_of(f"<fabric>{JOINED}</fabric>").fabric_health == "N/A"
    assert slot_of("").fabric_health is None


@pytest.mark.parametrize(
    ("ecc", "errors"),
    [
        (Ecc(sram=0, dram=0), 0),
        (Ecc(sram=0, dram=None), None),
        (Ecc(sram=None, dram=0), None),
        (Ecc(sram=None, dram=6), 6),
        (Ecc(sram=2, dram=None), 2),
        (Ecc(sram=2, dram=3), 5),
    ],
)
def test_no_errors_are_no_errors_only_where_both_memories_were_read(
    ecc: Ecc, errors: int | None
) -> None:
    assert ecc.uncorrectable == errors


def test_sram_counts_by_whichever_protection_it_has() -> None:
    volatile = (
        "<sram_uncorrectable_parity>N/A</sram_uncorrectable_parity>"
        "<sram_uncorrectable_secded>0</sram_uncorrectable_secded>"
        "<dram_uncorrectable>0</dram_uncorrectable>"
    )
    gpu = slot_of(f"<ecc_errors><volatile>{volatile}</volatile></ecc_errors>").device
    assert gpu.ecc_volatile.uncorrectable == 0


def test_gpus_that_a_driver_does_not_list_are_unknown_beside_one_it_lost() -> None:
    tray = shipped("hgx8").hosts["hgx01"]
    slots = facts(tray, {"nvidia-smi-q": answer(LOST, rc=15, argv=("nvidia-smi",))}).gpus
    lost = [slot for slot in slots if slot.pci == "0000:c3:00.0"]
    others = [slot for slot in slots if slot not in lost]
    assert [(slot.bound, slot.responsive) for slot in lost] == [("bound", False)]
    assert {(slot.bound, slot.responsive) for slot in others} == {(None, None)}
    assert all("did not list every GPU" in slot.detail for slot in others)
    with pytest.raises(Unreadable, match="hgx01/gpu0: nvidia-smi did not list every GPU"):
        _ = slots[0].device


def test_gpus_behind_a_cut_are_unknown_and_not_missing() -> None:
    tray = shipped("hgx8").hosts["hgx01"]
    text = (
        "<nvidia_smi_log><attached_gpus>8</attached_gpus>"
        '<gpu id="00000000:1B:00.0"><ecc_mode></ecc_mode></gpu><gpu id="00000000:43:00.0"><ecc'
    )
    bound = [slot.bound for slot in facts(tray, {"nvidia-smi-q": answer(text)}).gpus]
    assert bound == ["bound", *[None] * 7]


def test_a_gpu_that_a_complete_list_leaves_out_is_missing() -> None:
    tray = shipped("hgx8").hosts["hgx01"]
    text = (
        "<nvidia_smi_log><attached_gpus>1</attached_gpus>"
        '<gpu id="00000000:1B:00.0"></gpu></nvidia_smi_log>'
    )
    assert nvidia_smi.parse(text).complete
    bound = [slot.bound for slot in facts(tray, {"nvidia-smi-q": answer(text)}).gpus]
    assert bound == ["bound", *["missing"] * 7]


def test_a_gpu_that_somebody_uses_is_busy_and_says_with_what() -> None:
    process = "<process_info><pid>4242</pid><type>C</type><process_name>/opt/py</process_name>"
    used = slot_of(f"<processes>{process}</process_info></processes>").foreign_processes
    assert isinstance(used, Busy)
    assert str(used).startswith("hgx01/gpu0: is in use by /opt/py (pid 4242)")
    assert slot_of("<processes></processes>").foreign_processes == 0
    assert slot_of("").foreign_processes is None


def test_a_brake_that_is_not_reported_is_not_off() -> None:
    reasons = "<clocks_event_reasons><clocks_event_reason_{}>{}</clocks_event_reason_{}>".format
    end = "</clocks_event_reasons>"
    name = "hw_power_brake_slowdown"
    assert slot_of(reasons(name, "Active", name) + end).power_brake == "Active"
    assert slot_of(reasons(name, "Not Active", name) + end).power_brake == "Not Active"
    assert slot_of(reasons(name, "N/A", name) + end).power_brake is None


def test_trays_name_their_slot_by_their_gpus() -> None:
    def said(*slots: str) -> int | str | None:
        gpus = "".join(
            f'<gpu id="00000000:{bus}:00.0"><platformInfo><slot_number>{slot}</slot_number>'
            "</platformInfo></gpu>"
            for bus, slot in zip(("1B", "43"), slots, strict=False)
        )
        text = f"<nvidia_smi_log><attached_gpus>{len(slots)}</attached_gpus>{gpus}</nvidia_smi_log>"
        node = shipped("hgx8").hosts["hgx01"]
        return slot_number(facts(node, {"nvidia-smi-q": answer(text)}))

    assert said("5", "5") == 5
    assert said("5", "N/A") == 5
    assert said("6", "5") == "5, 6"
    assert said("N/A", "N/A") is None
