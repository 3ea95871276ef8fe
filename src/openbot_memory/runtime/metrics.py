"""CloudWatch metrics, written as log lines in the embedded metric format, so that no request waits for them."""

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "OpenBotMemory"
SECONDS = {"OldestWaitingAge"}


def emit(values: Mapping[str, int], **dimensions: str) -> None:
    """Write one line. The service's name, set by the template, is added as a dimension: it tells stacks apart."""
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for name, value in values.items():
        metrics.add_metric(name, MetricUnit.Seconds if name in SECONDS else MetricUnit.Count, value)
    metrics.flush_metrics()
