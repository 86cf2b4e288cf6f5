"""No port counts an error while it is loaded, whatever its counters stood at before."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.rdma.loaded_ports import LoadedPorts


@pytest.mark.load
@pytest.mark.judges("counters.symbol_errors_delta", "counters.port_rcv_errors_delta")
@pytest.mark.judges("counters.local_link_integrity_delta", "counters.rnr_nak_retry_err_delta")
@pytest.mark.judges("counters.excessive_buffer_overrun_delta")
def test_ports_receive_without_errors(
    domain: str, loaded_ports: LoadedPorts, measure_all: MeasureAll
) -> None:
    """Each port moves data to and from its neighbours, and counts no error of its link."""
    moved, seen = loaded_ports.moved, loaded_ports.evidence
    errors, integrity = moved("port_rcv_errors"), moved("local_link_integrity_errors")
    overruns, not_ready = moved("excessive_buffer_overrun_errors"), moved("rnr_nak_retry_err")
    measure_all("counters.symbol_errors_delta", moved("symbol_error"), evidence=seen)
    measure_all("counters.port_rcv_errors_delta", errors, evidence=seen)
    measure_all("counters.local_link_integrity_delta", integrity, evidence=seen)
    measure_all("counters.excessive_buffer_overrun_delta", overruns, evidence=seen)
    measure_all("counters.rnr_nak_retry_err_delta", not_ready, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("counters.link_downed_delta", "counters.link_error_recovery_delta")
def test_links_stay_up_under_load(
    domain: str, loaded_ports: LoadedPorts, measure_all: MeasureAll
) -> None:
    """No port's link goes down, or has to recover, while data passes."""
    moved, seen = loaded_ports.moved, loaded_ports.evidence
    recovered = moved("link_error_recovery")
    measure_all("counters.link_downed_delta", moved("link_downed"), evidence=seen)
    measure_all("counters.link_error_recovery_delta", recovered, evidence=seen)
