"""From a value to a verdict: the profile's limits, the inventory's facts, waivers, blocking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fixtures.analysis.outliers import THRESHOLD, Peer, peer_scores
from fixtures.model.bought import bought, reference
from fixtures.model.errors import Blocked, NoLimit, RackError, Unreadable
from fixtures.model.inventory import Inventory
from fixtures.model.measure import Reading
from fixtures.model.measurement import Conditions, Limit, Measurement, Scalar, judge
from fixtures.model.profile import Metric
from fixtures.model.verdicts import Verdict
from fixtures.model.waivers import Waivers

BOUNDS = ("minimum", "maximum")
UNIQUE = frozenset({"host_serial", "gpu_serial", "guid", "slot"})
"""What the inventory says that no two parts share."""


class LimitViolated(AssertionError):
    """A measurement lies outside its limit: the hardware is not good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges on behalf of one test. `blocked` says whether a prerequisite of a subject failed."""

    inventory: Inventory
    waivers: Waivers
    blocked: Callable[[str, str], Blocked | None]
    test: str
    gate: str

    def asks(self, name: str, subject: str) -> bool:
        """Whether a metric is judged at all: the product's profile has it, and where nobody has to
        judge it, the inventory at least says what was bought."""
        metric = self.inventory.profile.metrics.get(name)
        if metric is None or metric.required:
            return metric is not None
        names = [ref for limit in metric.limits if (ref := reference(limit))]
        return all(bought(self.inventory, ref, subject).values for ref in names)

    def one(
        self,
        name: str,
        value: Reading,
        subject: str,
        *,
        conditions: Conditions,
        otherwise: Scalar | None = None,
        majority: Limit | None = None,
        detail: str = "",
        samples: Sequence[float] = (),
        evidence: Sequence[str] = (),
        peer: Peer | None = None,
    ) -> Measurement:
        """Judge one value; never raises RackError, since a reason is a result too."""
        metric = self.inventory.profile.metric(name)
        blank = Measurement(
            test=self.test,
            gate=metric.gate,
            subject=subject,
            metric=name,
            value=None,
            unit=metric.unit,
            verdict=Verdict.INCONCLUSIVE,
            conditions=conditions,
            samples=samples,
            evidence=evidence,
            detail=detail,
            peer=None if peer is None else {"median": peer.median, "score": peer.score},
        )
        try:
            limits = self._limits(metric, subject, conditions, otherwise, majority)
            if value is None or isinstance(value, RackError):
                raise (
                    self.blocked(subject, name) or value or Unreadable("the tool printed no value")
                )
            verdict, limit, warned = judge(value, limits)
            if majority is not None and majority in limits and verdict is Verdict.PASS:
                raise NoLimit(
                    f"{majority.source}, which does not make it right: state what was bought"
                )
        except RackError as error:
            return replace(blank, reason=error.why, detail=str(error))
        if peer is not None and peer.score > THRESHOLD and verdict is Verdict.PASS:
            warned = warned or metric.peers != "off"
            if metric.peers == "fail":
                verdict, detail = Verdict.FAIL, f"its peers' median is {peer.median:g}"
        level = limit.level if limit else "fail"
        judged = replace(
            blank,
            value=value,
            verdict=verdict,
            limit=limit,
            level=level,
            warned=warned,
            detail=detail,
        )
        return self._waived(judged) if verdict is Verdict.FAIL else judged

    def peers(
        self, name: str, population: Mapping[str, Reading], conditions: Conditions
    ) -> dict[str, Peer]:
        """How each part of a population stands among the others, by its metric's direction."""
        numbers = {
            subject: float(value)
            for subject, value in population.items()
            if isinstance(value, (int, float))
            and not isinstance(value, bool)
            and math.isfinite(value)  # what is not is implausible, and no measure for others
        }
        limits = self.inventory.profile.metric(name).matching(conditions)
        floors, ceilings = (any(getattr(x, b) is not None for x in limits) for b in BOUNDS)
        return peer_scores(numbers, higher_is_better=floors if floors != ceilings else None)

    def majority_limit(self, name: str, values: Mapping[str, Reading]) -> Limit | None:
        """Where the inventory is silent: what most of a population show, as a provisional limit.

        It names the odd ones out and makes nobody right: a rack that is uniformly wrong must not
        pass. Serials and GUIDs differ by nature, so there is no majority of them.
        """
        metric = self.inventory.profile.metric(name)
        names = {ref for limit in metric.limits if (ref := reference(limit))}
        subjects = [subject for subject, value in values.items() if _known(value)]
        if not names or not subjects or names & UNIQUE:
            return None
        if any(bought(self.inventory, ref, subjects[0]).values for ref in names):
            return None
        counts = Counter(str(value) for value in values.values() if _known(value))
        common, number = counts.most_common(1)[0]
        return Limit(
            unit=metric.unit,
            source=f"what {number} of {len(subjects)} show; the inventory is silent",
            kind="derived",
            equals=(common,),
            provisional=True,
        )

    def _limits(
        self,
        metric: Metric,
        subject: str,
        conditions: Conditions,
        otherwise: Scalar | None,
        majority: Limit | None,
    ) -> list[Limit]:
        limits = metric.matching(conditions)
        if not limits:
            met = ", ".join(f"{key}={value}" for key, value in conditions.items()) or "none"
            raise NoLimit(
                f"profile {metric.profile}: {metric.name} has no limit for the conditions {met}; "
                "add one, or let the inventory say what they depend on (hops come from its cables)"
            )
        return [self._resolved(limit, subject, otherwise, majority) for limit in limits]

    def _resolved(
        self, limit: Limit, subject: str, otherwise: Scalar | None, majority: Limit | None
    ) -> Limit:
        name = reference(limit)
        if name is None:
            return limit
        found = bought(self.inventory, name, subject)
        if found.values:
            return replace(limit, equals=found.values, source=found.source)
        if otherwise is not None:
            note = f"the part's own default; {found.source} is silent"
            return replace(limit, equals=(otherwise,), source=note, provisional=True)
        if majority is not None:
            return majority
        raise NoLimit(f"{found.source}: nothing is said about {subject}; state what was bought")

    def _waived(self, failed: Measurement) -> Measurement:
        waiver = self.waivers.covering(failed.metric, failed.subject)
        if waiver is None:
            return failed
        words = f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason}"
        return replace(failed, verdict=Verdict.WAIVED, detail=words)


def _known(value: Reading) -> bool:
    return value is not None and not isinstance(value, RackError)
