import json

from cdk8s import App, Chart, Duration
from cdk8s_plus_28 import ConfigMap
from trainyard import (
    Framework,
    Gpu,
    IdleAction,
    IdlePolicy,
    OperatorMonitoring,
    OperatorTracing,
    TrainingJob,
    TrainingOperator,
    TrainingResources,
)
from trainyard.monitoring import LogCollection, Monitoring, RayMonitoringOptions, ServingMonitoringOptions
from trainyard.ray import RayCluster
from trainyard.serving import InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode

app = App()
chart = Chart(app, "monitoring")

# kube-prometheus-stack selects monitors and rules by this label.
labels = {"release": "kube-prometheus-stack"}

TrainingOperator(
    chart,
    "TrainingOperator",
    prometheus_url="http://kube-prometheus-stack-prometheus.monitoring:9090",
    tracing=OperatorTracing(endpoint="http://collector.observability:4318", sample_ratio=0.1),
    monitoring=OperatorMonitoring(
        labels=labels,
        goodput_target=0.9,
        checkpoint_max_age=Duration.hours(1),
        queue_max_wait=Duration.hours(8),
    ),
    metrics_namespaces=["monitoring"],
)

# Gives its GPUs back when it leaves them unused, as measured by NVIDIA's exporter in Prometheus.
TrainingJob(
    chart,
    "Watched",
    metadata={"name": "watched", "namespace": "team-a"},
    framework=Framework.pytorch(),
    image="registry.example/train:1",
    command=["torchrun", "train.py"],
    replicas=2,
    resources=TrainingResources(gpu=Gpu.nvidia(8)),
    idle=IdlePolicy(below_percent=5, duration=Duration.hours(1), action=IdleAction.SUSPEND),
)

# One system of a kind, watched by itself ...
RayCluster(
    chart,
    "Ray",
    metadata={"name": "interactive", "namespace": "team-a"},
    image="rayproject/ray:2.54.0",
    monitoring=RayMonitoringOptions(labels=labels, pending_for=Duration.minutes(10)),
)
InferenceService(
    chart,
    "Iris",
    metadata={"name": "iris", "namespace": "team-a"},
    mode=ServingMode.STANDARD,
    predictor=Predictor.model(format=ModelFormat.SKLEARN, storage=ModelStorage.gcs("models", "iris/1")),
    monitoring=ServingMonitoringOptions(labels=labels, error_ratio=0.01, latency=Duration.millis(300)),
)

# ... and all of a kind, by objects in the namespace of Prometheus.
Monitoring.for_spark(chart, "Spark", namespace="monitoring", labels=labels)
Monitoring.for_gpus(chart, "Gpus", namespace="monitoring", labels=labels, idle_for=Duration.hours(1))

# Values of the chart that reads what pods write, for whoever applies charts.
values = LogCollection.fluent_bit_values(loki_url="http://loki-gateway.logging", namespaces=["team-a"])
ConfigMap(
    chart,
    "FluentBit",
    metadata={"name": "fluent-bit-values", "namespace": "logging"},
    data={"values.yaml": json.dumps(values, indent=2)},
)

app.synth()
