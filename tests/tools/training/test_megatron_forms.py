"""What Megatron-LM and Megatron-Bridge print beside iterations, and lines that pastes broke."""

from __future__ import annotations

import dataclasses

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.training import megatron_log
from tests.tools.captures import capture

LINE = capture("megatron-log", "healthy.txt").splitlines()[0]
[STEP] = megatron_log.parse(LINE)
BRIDGE = capture("megatron-log", "bridge.txt")
RATES = "Step Time : 2.22s GPU utilization: 1176.1MODEL_TFLOP/s/GPU   # steady\n"


def test_bridge_prints_the_rate_before_the_iteration() -> None:
    steps = megatron_log.parse(BRIDGE)
    assert [step.iteration for step in steps] == [1, 2, 3]
    assert [step.tflops_per_gpu for step in steps] == [31.5, 1176.1, 1180.5]
    assert [step.source for step in steps] == [None, None, 7]
    assert steps[0].losses == {"lm loss": 11.875, "mtp_1 loss": 11.885}


def test_a_rate_of_another_iteration_stays_alone() -> None:
    [rated, step] = megatron_log.parse(RATES + LINE)
    assert (rated.iteration, rated.step_time_s, rated.tflops_per_gpu) == (None, 2.22, 1176.1)
    assert step == STEP


@pytest.mark.parametrize("unit", ["MODEL_TFLOP/s/GPU", "TFLOP/s/GPU", " MODEL_TFLOP/s/GPU"])
def test_a_log_of_rates_alone_is_read(unit: str) -> None:
    steps = megatron_log.parse(RATES.replace("MODEL_TFLOP/s/GPU", unit) * 2)
    assert [(step.step_time_s, step.tflops_per_gpu) for step in steps] == [(2.22, 1176.1)] * 2


def test_operations_that_bridge_cannot_count_have_no_rate() -> None:
    [step] = megatron_log.parse(RATES.replace("1176.1", "0.0"))
    assert (step.step_time_s, step.tflops_per_gpu) == (2.22, None)


def test_a_line_that_a_terminal_broke_within_words_is_whole() -> None:
    step = megatron_log.parse(BRIDGE)[1]
    assert (step.step_time_s, step.energy_per_gpu_j, step.power_per_gpu_w) == (
        2.2197,
        2150.5,
        968.8,
    )
    assert (step.global_batch_size, step.lm_loss, step.grad_norm) == (512, 11.5625, 5.25)
    assert (step.skipped_iterations, step.nan_iterations, step.complete) == (0, 0, True)


@pytest.mark.parametrize("width", range(90, 130))
def test_a_terminal_breaks_lines_at_its_width(width: int) -> None:
    pieces = [LINE[at : at + width].strip() for at in range(0, len(LINE), width)]
    [step] = megatron_log.parse("\n".join(pieces))
    fields = dataclasses.asdict(STEP)
    known = {name: value for name, value in dataclasses.asdict(step).items() if value is not None}
    lacks = {name for name in fields.keys() - known.keys() if fields[name] is not None}
    same = {name for name, value in known.items() if value == fields[name]}
    assert known.keys() - same <= {"complete", "losses"}
    assert step.complete is not bool(lacks or step.losses != STEP.losses)


def test_a_number_that_was_broken_is_not_put_together() -> None:
    [step] = megatron_log.parse(LINE.replace("9.876543E+00", "9.876\n543E+00"))
    assert (step.lm_loss, step.learning_rate, step.complete) == (None, STEP.learning_rate, False)


def test_an_iteration_may_be_wrapped_over_lines() -> None:
    for mark in ("| learning rate", "| loss scale", "skipped iterations"):
        wrapped = LINE.replace(f" {mark}", f"\n{mark}").replace("\n| ", " |\n ")
        assert megatron_log.parse(wrapped) == (STEP,)


def test_what_follows_an_iteration_is_not_always_its() -> None:
    other = " validation loss at iteration 10 | lm loss value: 9.8E+00 | lm loss PPL: 1.8E+04 |"
    [step] = megatron_log.parse(f"{LINE}\n{other}\nlm loss: 1.0 |\n")
    assert (step.lm_loss, step.complete) == (STEP.lm_loss, True)


def test_a_line_without_its_time_is_not_complete() -> None:
    [step] = megatron_log.parse(LINE.partition(" elapsed")[0])
    assert (step.consumed_samples, step.complete) == (10240, False)


@pytest.mark.parametrize(
    ("at", "step", "loss", "perplexity"),
    [
        ("loss at iteration 10", 10, "lm loss value: 2.5E+00", "lm loss PPL: 1.2E+01 "),
        ("loss at iteration 9 on test set", 9, "lm loss value: 2.5E+00", "lm loss PPL: 1.2E+01"),
        ("results at iteration 8", 8, "lm_loss value: 2.5E+00", "lm_loss_ppl value: 1.2E+01 "),
        ("loss at the end of training", None, "lm loss value: 2.5E+00", "lm loss PPL: 1.2E+01"),
    ],
)
def test_validations_follow_a_step(at: str, step: int | None, loss: str, perplexity: str) -> None:
    rule = "-" * 80
    line = f" validation {at} | {loss} | {perplexity}|"
    [found] = megatron_log.parse(f"{LINE}\n{rule}\n{line}\n{rule}\n")
    [validation] = found.validations
    assert (validation.at, validation.step) == (at.partition(" at ")[2], step)
    assert list(validation.losses.values()) == [2.5]
    assert list(validation.perplexities.values()) == [12]


def test_a_validation_loss_can_be_no_number() -> None:
    line = " test loss at iteration 7 | lm loss value: nan | lm loss PPL: 4.851652E+08 |"
    [validation] = megatron_log.parse(f"{LINE}\n{line}\n")[0].validations
    assert (validation.losses, validation.step) == ({"lm loss": None}, 7)


def test_a_validation_alone_is_no_step() -> None:
    with pytest.raises(Unreadable, match="no line 'iteration"):
        megatron_log.parse(" validation loss at iteration 10 | lm loss value: 2.5E+00 |\n")


def test_a_line_quoted_as_code_is_whole() -> None:
    assert megatron_log.parse(f"`{LINE.strip()}`") == (STEP,)


@pytest.mark.parametrize(
    ("printed", "tokens"), [("83,968", 83968), ("83,96", None), ("8,39,68", None), ("1.25B", None)]
)
def test_a_comma_separates_thousands_or_is_torn(printed: str, tokens: int | None) -> None:
    line = LINE.replace("consumed samples: ", f"consumed tokens: {printed} | consumed samples: ")
    assert megatron_log.parse(line)[0].consumed_tokens == tokens
