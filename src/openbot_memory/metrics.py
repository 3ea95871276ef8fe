"""What is counted, as lines of CloudWatch's embedded metric format: taken from the logs, so no request waits for it."""

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "OpenBotMemory"
SECONDS = {"OldestWaitingAge"}


def emit(values: Mapping[str, int], **dimensions: str) -> None:
    """Write one line. Beside `dimensions`, the service's name tells one stack from another."""
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for name, value in values.items():
        metrics.add_metric(name, MetricUnit.Seconds if name in SECONDS else MetricUnit.Count, value)
    metrics.flush_metrics()
