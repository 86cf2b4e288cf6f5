"""The plugin and fixture modules of the suite, by name; there is no logic here."""

pytest_plugins = [
    "plugins.inventory",
    "plugins.evidence",
    "plugins.lab",
    "plugins.manifest",
    "plugins.gates",
    "plugins.effects",
    "plugins.measurements",
    "plugins.leases",
    "plugins.allure_results",
    "plugins.planning",
    "plugins.progress",
    "plugins.verdict",
    "fixtures.hosts",
    "fixtures.gpus",
    "fixtures.nvlink",
    "fixtures.fabric",
    "fixtures.rdma",
    "fixtures.collectives",
]
