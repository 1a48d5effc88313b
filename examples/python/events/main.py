from typing import Optional

from cdk8s import ApiObjectMetadata, App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu, ServiceAccount
from trainyard import Checkpoint, Engine, Framework, Gpu, RunPolicy, TrainingJobProps, TrainingResources
from trainyard.events import CronTraining, DeadLetters, EventDrivenTraining, EventSource, TrainingConcurrency

app = App()
chart = Chart(app, "events", namespace="team-a")


def job(engine: Optional[Engine] = None, run_policy: Optional[RunPolicy] = None) -> TrainingJobProps:
    return TrainingJobProps(
        framework=Framework.pytorch(),
        image="registry.example/train:1",
        command=["torchrun", "train.py"],
        replicas=2,
        resources=TrainingResources(gpu=Gpu.nvidia(1), cpu=Cpu.units(8), memory=Size.gibibytes(32)),
        checkpoint=Checkpoint.at("gs://team-a-runs/on-dataset"),
        engine=engine,
        run_policy=run_policy,
    )


week = RunPolicy(ttl_after_finished=Duration.days(7))
account = {"iam.gke.io/gcp-service-account": "launcher@team-a-project.iam.gserviceaccount.com"}

# A job for each dataset that is announced on a subscription, and at most four at a time.
EventDrivenTraining(
    chart,
    "OnDataset",
    metadata={"name": "on-dataset"},
    source=EventSource.pub_sub("projects/team-a-project/subscriptions/datasets"),
    max_running_jobs=4,
    job=job(run_policy=week),
    launcher_service_account=ServiceAccount(
        chart,
        "Launcher",
        metadata=ApiObjectMetadata(name="launcher", annotations=account),
        automount_token=True,
    ),
)

# The same for what a broker of Knative passes on.
EventDrivenTraining(
    chart,
    "OnDrift",
    metadata={"name": "on-drift"},
    source=EventSource.knative_broker(
        "default",
        attributes={"type": "com.example.model.drift"},
        dead_letters=DeadLetters.object("v1", "Service", "failed-events"),
    ),
    max_running_jobs=1,
    job=job(run_policy=week),
)

# And each night, on Kubeflow Trainer, with a week of jobs to look at.
CronTraining(
    chart,
    "Nightly",
    metadata={"name": "nightly"},
    schedule="0 3 * * *",
    time_zone="Europe/Berlin",
    concurrency=TrainingConcurrency.FORBID,
    successful_jobs=7,
    failed_jobs=7,
    job=job(engine=Engine.trainer()),
)

app.synth()
