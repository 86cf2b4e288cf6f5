"""The trays of a partition export memory to each other: one IMEX domain, and all of them in it."""

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.imex_domains import ImexDomains
from fixtures.tools.nvlink import imex_setup


@pytest.mark.judges(
    "imex.domain_state",
    "imex.not_connected_pairs",
    "imex.distinct_driver_versions",
    "imex.node_numbers",
    "imex.ensembles",
    "imex.nodes_in_domain",
)
def test_imex_domain_is_up_and_whole(
    imex_domain: str, imex_domains: ImexDomains, measure: Measure
) -> None:
    """All trays of a partition are one domain, of one version, and connected to each other."""
    measure("imex.domain_state", imex_domains.state, at=imex_domain)
    measure("imex.not_connected_pairs", imex_domains.not_connected, at=imex_domain)
    measure("imex.distinct_driver_versions", imex_domains.versions, at=imex_domain)
    measure("imex.node_numbers", imex_domains.numbers, at=imex_domain)
    measure("imex.ensembles", imex_domains.ensembles, at=imex_domain)
    measure("imex.nodes_in_domain", imex_domains.nodes, at=imex_domain)


@pytest.mark.judges("imex.node_list", "imex.node_state", "imex.node_version", "imex.channels")
def test_tray_is_in_its_imex_domain(
    imex_tray: str, imex_domains: ImexDomains, all_facts: Facts, measure: Measure
) -> None:
    """The tray lists the nodes that were bought, and is ready for them in the right version."""
    facts = all_facts.of(imex_tray)
    seen = facts.evidence("imex-nodes")
    measure("imex.node_list", imex_domains.list_of(imex_tray), at=imex_tray, evidence=seen)
    measure("imex.node_state", imex_domains.state_of(imex_tray), at=imex_tray)
    measure("imex.node_version", imex_domains.version_of(imex_tray), at=imex_tray)
    channels = imex_setup.read_channels(facts.result("imex-channels"))
    seen = facts.evidence("imex-channels")
    measure("imex.channels", channels, at=imex_tray, evidence=seen)
