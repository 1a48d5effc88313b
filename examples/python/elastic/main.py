from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu, Metric, MetricTarget, PersistentVolumeAccessMode, PersistentVolumeClaim
from trainyard import Checkpoint, ElasticRange, Framework, RestartBackoff, RestartPolicy, RunPolicy, TrainingJob, TrainingResources

app = App()
chart = Chart(app, "elastic")

checkpoints = PersistentVolumeClaim(
    chart,
    "Checkpoints",
    metadata={"name": "checkpoints"},
    access_modes=[PersistentVolumeAccessMode.READ_WRITE_MANY],
    storage=Size.gibibytes(10),
)

TrainingJob(
    chart,
    "Elastic",
    metadata={"name": "elastic"},
    framework=Framework.pytorch(),
    image="registry.example/elastic:1",
    command=["python3", "-m", "torch.distributed.run", "train.py"],
    replicas=3,
    resources=TrainingResources(cpu=Cpu.units(1), memory=Size.gibibytes(2)),
    elastic=ElasticRange(
        min_replicas=2,
        max_replicas=6,
        metrics=[Metric.resource_cpu(MetricTarget.average_utilization(80))],
    ),
    checkpoint=Checkpoint.on_claim(checkpoints),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE, backoff=RestartBackoff(initial=Duration.seconds(10))),
)

app.synth()
