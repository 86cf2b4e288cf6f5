"""Every host lets us in and keeps the time."""

import pytest

from fixtures.hosts import Facts
from fixtures.model.inventory import Host
from fixtures.model.measure import Measure
from fixtures.tools.tray_facts import TrayFacts


@pytest.mark.judges("reach.ssh")
def test_host_answers_over_ssh(host: Host, all_facts: Facts, measure: Measure) -> None:
    """The host lets us log in and runs what it is asked."""
    facts = all_facts.of(host.name)
    measure("reach.ssh", facts.login, at=host.name, evidence=facts.evidence("clock"))


@pytest.mark.judges("reach.clock_skew")
def test_clock_agrees_with_the_runner(host: Host, host_facts: TrayFacts, measure: Measure) -> None:
    """The host's clock is where the runner's is, so that events can be put in order."""
    skew = abs(host_facts.clock_skew_s)
    measure("reach.clock_skew", skew, at=host.name, evidence=host_facts.evidence("clock"))


@pytest.mark.judges("reach.sudo")
def test_sudo_asks_for_no_password(sudo_host: Host, all_facts: Facts, measure: Measure) -> None:
    """Where the inventory asks for sudo, `sudo -n` works."""
    facts = all_facts.of(sudo_host.name)
    measure("reach.sudo", facts.sudo, at=sudo_host.name, evidence=facts.evidence("sudo"))
