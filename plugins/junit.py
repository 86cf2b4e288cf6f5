"""JUnit that says what the record says: FAIL is a failure, INCONCLUSIVE an error.

pytest writes every failed call as a failure; the verdict that each test carries as a property
says which of them are errors.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import parse

from fixtures.model.verdicts import Verdict


def rewrite(written: str | None, kept: Path) -> None:
    """Turn the failures of INCONCLUSIVE tests into errors, and count anew.

    `written` is where pytest wrote its report, `kept` the run folder's own copy.
    """
    path = Path(written) if written else kept
    if not path.is_file():
        return
    tree = parse(path)
    root = tree.getroot()
    assert root is not None
    for case in root.iter("testcase"):
        if _verdict(case) == Verdict.INCONCLUSIVE:
            for failure in case.findall("failure"):
                failure.tag = "error"
    for suite in root.iter("testsuite"):
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            count = sum(1 for case in suite.iter("testcase") if case.find(tag) is not None)
            suite.set(name, str(count))
    for target in {path.resolve(), kept}:
        tree.write(target, encoding="utf-8", xml_declaration=True)


def _verdict(case: Element) -> str:
    for entry in case.iter("property"):
        if entry.get("name") == "verdict":
            return entry.get("value", "")
    return ""
