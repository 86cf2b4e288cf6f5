"""Training logs: step times with their unit, losses that are numbers or not, nothing guessed."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, Unreadable
from fixtures.tools.training import maxtext_log, megatron_log, nemo_log
from fixtures.tools.training.readers import READERS
from tests.tools.captures import capture, ended

MEGATRON = capture("megatron-log", "healthy.txt")


def test_megatron_iterations_are_read() -> None:
    first, second = megatron_log.parse(MEGATRON)
    assert (first.iteration, first.total_iterations) == (10, 500)
    assert (first.step_time_s, first.tflops_per_gpu) == (4.3215, 812.4)
    assert (first.timestamp, first.lm_loss) == ("2026-03-04 05:06:07", 9.876543)
    assert second.losses == {"lm loss": 9.765432, "load_balancing_loss": 1.011}
    assert (second.loss_scale, second.grad_norm, second.params_norm) == (1.0, 3.1, 1234.678)
    assert (second.skipped_iterations, second.nan_iterations, second.complete) == (0, 0, True)


def test_a_loss_that_is_not_a_number_is_a_reading() -> None:
    step, _ = megatron_log.parse(capture("megatron-log", "degraded.txt"))
    assert (step.lm_loss, step.grad_norm) == (None, None)
    assert step.losses == {"lm loss": None}
    assert step.not_finite == ("lm loss", "grad norm")
    assert (step.nan_iterations, step.skipped_iterations) == (1, 1)


def test_a_cut_line_says_what_is_certain() -> None:
    _, cut = megatron_log.parse(capture("megatron-log", "degraded.txt"))
    assert (cut.complete, cut.step_time_s, cut.learning_rate) == (False, 0.9124, None)


@pytest.mark.parametrize(
    ("end", "time"),
    [
        ("elapsed time per iteration (ms): 87.0", 0.087),
        ("elapsed time per iteration (ms): 87.", None),
        ("elapsed time per iteration (ms): 87", None),
        ("elapsed time per iteration (s): 105.22", 105.22),
        ("elapsed time per iteration (s): 105.2", None),
    ],
)
def test_the_last_value_of_a_cut_line_counts_with_all_its_digits(
    end: str, time: float | None
) -> None:
    [step] = megatron_log.parse(f" iteration        1/       9 | consumed samples:  8 | {end}")
    assert (step.step_time_s, step.consumed_samples, step.complete) == (time, 8, False)


def test_milliseconds_and_seconds_are_told_by_name() -> None:
    times = [step.step_time_s for step in megatron_log.parse(capture("megatron-log", "forks.txt"))]
    assert times == [0.4613, 0.6175, 5.7869, 10.25]


def test_forks_have_names_of_their_own() -> None:
    neox, old, primus, bigscience = megatron_log.parse(capture("megatron-log", "forks.txt"))
    assert (neox.tflops_per_gpu, neox.samples_per_s, neox.lm_loss) == (44.6, 110.984, 10.9)
    assert (old.lm_loss, old.learning_rate, old.loss_scale, old.source) == (10.86, 1e-06, 65536, 3)
    assert (primus.tflops_per_gpu, primus.tokens_per_s_per_gpu) == (496.3, 9640.7)
    assert (bigscience.tflops_per_gpu, bigscience.consumed_tokens) == (101.02, 83968)


@pytest.mark.parametrize("prefix", ["15: ", "15:", "[default15]: ", "[15]: ", "> 15: "])
def test_a_launcher_names_the_source(prefix: str) -> None:
    line = MEGATRON.splitlines()[0]
    [step] = megatron_log.parse(f"{prefix} {line}")
    assert (step.source, step.iteration, step.timestamp) == (15, 10, "2026-03-04 05:06:07")


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("(ms): 4321.5", "(ms): 0.0", Implausible),
        ("(ms): 4321.5", "(ms): nan", Implausible),
        ("GPU): 812.4", "GPU): -1", Implausible),
        ("grad norm: 3.210", "lm loss: 3.210", Unreadable),
    ],
)
def test_what_cannot_be_true_is_refused(old: str, new: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        megatron_log.parse(MEGATRON.replace(old, new))


def test_nemo_steps_are_read() -> None:
    first, second, third = nemo_log.parse(capture("nemo-log", "healthy.txt"))
    assert (first.epoch, first.iteration, first.total_iterations) == (0, 0, 19)
    assert (first.step_time_s, first.train_loss, first.consumed_samples) == (31.5, 11.02, None)
    assert (second.tokens_per_s_per_gpu, second.tflops_per_gpu) == (16000, 801.5)
    assert (third.val_loss, third.timestamp) == (10.5, "2026-03-04T05:06:27")
    assert (third.step_time_s, third.tokens_per_s_per_gpu, third.tflops_per_gpu) == (
        4.24,
        None,
        None,
    )


def test_a_bar_that_is_rewritten_counts_each_step_once() -> None:
    first, second = nemo_log.parse(capture("nemo-log", "bars.txt"))
    assert (first.global_step, first.step_time_s, first.consumed_samples) == (0, 12.4, 64)
    assert (second.global_step, second.step_time_s, second.total_iterations) == (1, 2.31, 50)


def test_bars_that_lost_their_carriage_returns_are_told_apart() -> None:
    joined = capture("nemo-log", "bars.txt").replace("\r", "").replace("\n", "")
    assert [step.global_step for step in nemo_log.parse(joined)] == [0, 1]


def test_a_long_step_is_printed_in_scientific_notation() -> None:
    [step] = nemo_log.parse(capture("nemo-log", "degraded.txt"))
    assert (step.step_time_s, step.train_loss, step.global_step) == (1232.0, None, 14)
    assert step.not_finite == ("reduced_train_loss", "grad_norm")


def test_maxtext_steps_are_read() -> None:
    steps = maxtext_log.parse(capture("maxtext-log", "healthy.txt"))
    assert [step.step for step in steps] == [0, 1, 2, 3, 4]
    assert [step.step_time_s for step in steps] == [61.25, 3.125, 3.1, None, 3.11]
    assert [step.tflops_per_device for step in steps] == [8.125, 160.25, None, None, 161.0]
    assert steps[1].losses == {"loss": 10.64, "lm_loss": 10.6, "moe_lb_loss": 0.04}
    assert [step.total_weights for step in steps] == [65536, 65536, 65536, 65536, None]


def test_maxtext_says_that_a_loss_is_no_number() -> None:
    [step] = maxtext_log.parse(capture("maxtext-log", "degraded.txt"))
    assert (step.loss, step.not_finite, step.step_time_s) == (None, ("loss",), 3.2)


@pytest.mark.parametrize("tool", sorted(READERS))
@pytest.mark.parametrize("name", ["empty.txt", "failed.txt"])
def test_a_log_without_a_step_is_unreadable(tool: str, name: str) -> None:
    with pytest.raises(Unreadable, match="did not come to its first one"):
        READERS[tool](ended(capture(tool, name)))


def test_a_log_is_read_however_the_run_ended() -> None:
    assert len(READERS["megatron-log"](ended(MEGATRON, rc=137))) == 2
    assert len(READERS["nemo-log"](ended(stderr=capture("nemo-log", "bars.txt")))) == 2


def test_a_nemo_step_may_be_wrapped_over_lines() -> None:
    line = capture("nemo-log", "healthy.txt").splitlines()[2]
    wrapped = line.replace("| global_step", "|\nglobal_step").replace("| consumed", "| \nconsumed")
    assert nemo_log.parse(wrapped) == nemo_log.parse(line)


def test_maxtext_evaluates_between_steps() -> None:
    step = "completed step: 5, seconds: 3.100, TFLOP/s/device: 160.2, loss: 9.1\n"
    text = (
        f"{step}eval metrics after step: 5, loss=9.42, total_weights=65536\n"
        "Completed eval step: 1, seconds: 0.500, running loss=9.5\n"
        "Completed eval after train step 5, loss=9.41, perplexity=12.5, avg_z_loss=0.25, "
        "avg_mtp_acceptance_rate=12.50%\n"
        "[Rampup Batch Size Phase], completed step: 6, seconds: 3.200, loss: nan\n"
    )
    first, second = maxtext_log.parse(text)
    old, new = first.validations
    assert (old.at, old.step, old.losses) == ("after step: 5", 5, {"loss": 9.42})
    assert new.losses == {"loss": 9.41, "avg_z_loss": 0.25}
    assert new.perplexities == {"perplexity": 12.5}
    assert (second.step, second.step_time_s, second.not_finite) == (6, 3.2, ("loss",))


def test_maxtext_of_2023_and_padded_lines_are_read() -> None:
    old, padded = maxtext_log.parse(
        "# completed step: 1, seconds: 8.693, TFLOP/s: 1.731, loss: 9.206\n"
        "`completed step: 2, seconds:  0.323, TFLOP/s/device:  71.953,  loss: 13.424`\n"
    )
    assert (old.step_time_s, old.tflops_per_device, old.loss) == (8.693, 1.731, 9.206)
    assert (padded.step_time_s, padded.tflops_per_device, padded.loss) == (0.323, 71.953, 13.424)


@pytest.mark.parametrize("end", ["seconds: 3.1", "seconds: 3", "seconds: 3.12, total_weights: 65"])
def test_the_last_value_of_a_cut_maxtext_line_is_not_read(end: str) -> None:
    [step] = maxtext_log.parse(f"completed step: 5, loss: 9.250, {end}")
    assert (step.loss, step.total_weights) == (9.25, None)
    assert step.step_time_s == (3.12 if "," in end else None)


def test_a_maxtext_step_whose_number_may_be_cut_is_none() -> None:
    with pytest.raises(Unreadable, match="completed step"):
        maxtext_log.parse("completed step: 1")


def test_bars_with_rounded_steps_are_told_by_their_counter() -> None:
    bar = "Epoch 0:   3%|x | {}/1100000 [5:28:58<171:22:21, v_num=, {}, global_step=3.1e+4]\n"
    same = "reduced_train_loss=2.510"
    steps = nemo_log.parse("".join(bar.format(at, same) for at in (34103, 34104, 34109)))
    assert [step.iteration for step in steps] == [34103, 34109]


def test_a_total_that_fills_its_column_leaves_no_blank() -> None:
    [step] = megatron_log.parse(
        "1:  iteration       25/73242187 | consumed samples:           50 | "
        "elapsed time per iteration (ms): 91.5 | learning rate: 1.5E-08 | lm loss: 1.09E+01 |\n"
    )
    assert (step.source, step.iteration, step.total_iterations) == (1, 25, 73242187)
    assert (step.step_time_s, step.tflops_per_gpu, step.lm_loss) == (0.0915, None, 10.9)
