"""Every public report stands for something of the library, or says why it cannot."""

from __future__ import annotations

import re

import pytest

from lab.simrack.__main__ import main
from lab.simrack.cases import NOT_MODELLED, SECTIONS, covered, numbers
from lab.simrack.faults import LIBRARY


def test_the_numbers_are_those_of_the_sections() -> None:
    assert len(numbers()) == len(set(numbers())) == 84
    assert [len(cases) for cases in SECTIONS.values()] == [25, 17, 15, 13, 10, 4]
    assert all(re.fullmatch(r"C\d{2,3}", number) for number in numbers())


@pytest.mark.parametrize("number", numbers())
def test_a_case_is_covered_or_says_why_not(number: str) -> None:
    assert covered(number) or NOT_MODELLED.get(number)


def test_reasons_are_for_cases_of_these_sections() -> None:
    assert set(NOT_MODELLED) <= set(numbers())


def test_kinds_cite_what_they_stand_for() -> None:
    assert "fabric.unhealthy" in covered("C01")
    assert "(every rack)" in covered("C31")
    assert all(kind in LIBRARY for kind in covered("C01"))


def test_the_cases_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases"]) == 0
    said = capsys.readouterr().out
    assert all(f"  {number}" in said for number in numbers())
    assert "84 cases" in said
