from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu, Probe
from trainyard import Checkpoint, Framework, Gpu, TrainingJob, TrainingResources
from trainyard.serving import (
    GatewayReference,
    InferenceRoute,
    InferenceService,
    ModelCredentials,
    ModelFormat,
    ModelPredictorOptions,
    ModelStorage,
    ScaleMetric,
    ServingMode,
    ServingScaling,
)

app = App()
chart = Chart(app, "serving", namespace="team-a")


def training(run: str) -> TrainingJob:
    """The job exports each run into a folder of the bucket."""
    return TrainingJob(
        chart,
        f"Train-{run}",
        metadata={"name": f"vision-{run}"},
        framework=Framework.pytorch(),
        image="registry.example/train:1",
        command=["torchrun", "train.py", "--export"],
        replicas=2,
        resources=TrainingResources(gpu=Gpu.nvidia(1)),
        checkpoint=Checkpoint.at(f"gs://runs/vision/{run}"),
    )


# What the first run has left, behind an address.
vision = InferenceService.from_checkpoint(
    chart,
    "Vision",
    training("v1"),
    metadata={"name": "vision"},
    mode=ServingMode.STANDARD,
    path="export",
    model=ModelPredictorOptions(
        format=ModelFormat.ONNX,
        resources=TrainingResources(gpu=Gpu.nvidia(1), cpu=Cpu.units(4), memory=Size.gibibytes(16)),
        scaling=ServingScaling(min_replicas=2, max_replicas=6, metrics=[ScaleMetric.cpu(70)]),
        startup=Probe.from_http_get("/v2/health/ready", failure_threshold=60, period_seconds=Duration.seconds(10)),
    ),
    credentials=ModelCredentials.gcp_workload_identity("models@project.iam.gserviceaccount.com"),
)

# The second run gets a tenth of the requests. When it has proved itself, the next commit adds promote() to the line; when it has not, rollback().
vision.add_canary("v2", traffic_percent=10, storage=ModelStorage.from_checkpoint(training("v2"), "export"))

route = InferenceRoute(
    chart,
    "Route",
    metadata={"name": "vision"},
    gateways=[GatewayReference(name="public", namespace="gateways")],
    hostnames=["vision.example.org"],
    timeout=Duration.seconds(30),
)
route.add_service(vision)

app.synth()
