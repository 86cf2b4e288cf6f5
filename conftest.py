"""The plugin and fixture modules of the suite, by name; there is no logic here.

A module stands after those that it imports: pytest must be the first to load it.
"""

pytest_plugins = [
    "plugins.inventory",
    "plugins.collector",
    "plugins.manifest",
    "plugins.evidence",
    "plugins.lab",
    "plugins.gates",
    "plugins.effects",
    "plugins.leases",
    "plugins.measurements",
    "plugins.allure_results",
    "plugins.planning",
    "plugins.progress",
    "plugins.verdict",
    "plugins.crashes",
    "fixtures.hosts",
    "fixtures.fabric",
    "fixtures.gpus",
    "fixtures.nvlink",
    "fixtures.imex",
    "fixtures.rdma",
    "fixtures.uplinks",
    "fixtures.collectives",
    "fixtures.rails",
]
