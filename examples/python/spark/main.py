from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import PersistentVolumeClaim, Volume
from trainyard import Accelerator
from trainyard.spark import (
    ScheduledSparkApplication,
    SparkApplication,
    SparkConcurrency,
    SparkConnect,
    SparkDependencies,
    SparkDynamicAllocation,
    SparkEventLog,
    SparkExecutorPods,
    SparkHistoryServer,
    SparkIdentity,
    SparkMonitoring,
    SparkPodOptions,
    SparkProgram,
    SparkRestart,
    SparkRestartPolicy,
)

app = App()
chart = Chart(app, "spark", namespace="team-a")
image = "registry.example/spark-gcs:4.0.1"

# One account for all drivers: it may make executors in this namespace, and read the bucket.
service_account = SparkIdentity(
    chart,
    "Spark",
    metadata={"name": "spark", "annotations": {"iam.gke.io/gcp-service-account": "spark@project.iam.gserviceaccount.com"}},
).service_account

# What applications tell, and who shows it when they are gone.
event_log = SparkEventLog.at("gs://team-a-logs/spark", rolling=Size.mebibytes(128))
SparkHistoryServer(chart, "History", metadata={"name": "spark-history"}, image=image, event_log=event_log, keep=Duration.days(30))

# Features of the day, each night, by as many executors as there is work for.
ScheduledSparkApplication(
    chart,
    "Features",
    metadata={"name": "features"},
    schedule="0 2 * * *",
    time_zone="Europe/Berlin",
    concurrency=SparkConcurrency.FORBID,
    image=image,
    program=SparkProgram.python("gs://team-a-jobs/features.py"),
    dependencies=SparkDependencies(py_files=["gs://team-a-jobs/common.zip"]),
    driver=SparkPodOptions(memory=Size.gibibytes(4)),
    executor=SparkExecutorPods(cores=4, memory=Size.gibibytes(16)),
    dynamic_allocation=SparkDynamicAllocation(min_executors=2, max_executors=20),
    restart=SparkRestart(policy=SparkRestartPolicy.ON_FAILURE, failure_retries=2, failure_retry_interval=Duration.minutes(1)),
    monitoring=SparkMonitoring.servlet(),
    service_account=service_account,
    event_log=event_log,
)

# Embeddings on GPUs: each task has one of its own.
embeddings = SparkApplication(
    chart,
    "Embeddings",
    metadata={"name": "embeddings"},
    image=image,
    program=SparkProgram.python("local:///opt/app/embed.py"),
    arguments=["--model", "/models/encoder"],
    executor=SparkExecutorPods(instances=4, cores=2, memory=Size.gibibytes(24), accelerator=Accelerator.NVIDIA_L4.count(2), gpus_per_task=1),
    ttl_after_finished=Duration.days(1),
    service_account=service_account,
    event_log=event_log,
)
models = PersistentVolumeClaim.from_claim_name(chart, "Models", "models")
embeddings.add_volume_mount("/models", Volume.from_persistent_volume_claim(chart, "ModelVolume", models, read_only=True), read_only=True)

# A server for notebooks.
SparkConnect(
    chart,
    "Shared",
    metadata={"name": "shared"},
    image=image,
    server=SparkPodOptions(cores=2, memory=Size.gibibytes(8)),
    executor=SparkExecutorPods(cores=4, memory=Size.gibibytes(16)),
    dynamic_allocation=SparkDynamicAllocation(min_executors=1, max_executors=10, shuffle_tracking_timeout=Duration.minutes(30)),
    service_account=service_account,
    event_log=event_log,
)

app.synth()
