"""Every host lets us in and keeps the time."""

from collections.abc import Mapping

import pytest

from fixtures.model.errors import RackError
from fixtures.model.inventory import Host
from fixtures.model.measure import Measure
from fixtures.tools.binding.facts import Facts
from fixtures.tools.hosts.clocks import ClockOffset


@pytest.mark.judges("reach.ssh")
def test_host_answers_over_ssh(host: Host, all_facts: Facts, measure: Measure) -> None:
    """The host lets us log in and runs what it is asked."""
    facts = all_facts.of(host.name)
    measure("reach.ssh", facts.login, at=host.name, evidence=facts.evidence("clock"))


@pytest.mark.judges("reach.clock_skew")
def test_clocks_agree_with_the_runner(
    domain: str, clock_offsets: Mapping[str, ClockOffset | RackError], measure: Measure
) -> None:
    """Every host's clock is where the runner's is, so that events can be put in order."""
    for host, found in clock_offsets.items():
        skew = found if isinstance(found, RackError) else abs(found.offset_s)
        seen = () if isinstance(found, RackError) else (found.evidence,)
        measure("reach.clock_skew", skew, at=host, evidence=seen)


@pytest.mark.judges("reach.sudo")
def test_sudo_asks_for_no_password(sudo_host: Host, all_facts: Facts, measure: Measure) -> None:
    """Where the inventory asks for sudo, `sudo -n` works."""
    facts = all_facts.of(sudo_host.name)
    measure("reach.sudo", facts.sudo, at=sudo_host.name, evidence=facts.evidence("sudo"))
