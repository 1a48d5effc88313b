from cdk8s import App, Chart, Duration, Size
from trainyard import (
    Accelerator,
    CheckpointRetention,
    Engine,
    FilestoreTier,
    Framework,
    GcsFuseCache,
    JobSecurity,
    RestartPolicy,
    RunPolicy,
    RwxBackend,
    RwxCheckpointStore,
    Scheduling,
    TrainingJob,
)
from trainyard.gke import Grant, WorkloadIdentity, WorkloadPool

app = App()
chart = Chart(app, "storage", namespace="ml")

# An identity that writes to buckets, without a key.
trainer = WorkloadIdentity(
    chart,
    "Trainer",
    metadata={"name": "trainer"},
    pool=WorkloadPool(project_id="ml-prod", project_number="123456789012"),
    grants=[Grant.bucket_writer("ml-prod-checkpoints")],
)

# Two TiB of Filestore for everybody. Of each series the last three are kept, and nothing that is older than a month but the last one.
shared = RwxCheckpointStore(
    chart,
    "Shared",
    metadata={"name": "checkpoints"},
    backend=RwxBackend.filestore(tier=FilestoreTier.ZONAL, network="ml", cluster_network="ml"),
    size=Size.tebibytes(2),
    zones=["us-central1-a"],
    mount_options=["nconnect=7"],
    user=1000,
    retention=CheckpointRetention(keep_last=3, max_age=Duration.days(30)),
    # An example, not a price: fill in the price of your contract. Synth then prints what the store costs.
    price_per_gibibyte_month=0.25,
)

TrainingJob(
    chart,
    "Vision",
    metadata={"name": "vision"},
    framework=Framework.pytorch(),
    image="registry.example/vision:1",
    replicas=4,
    accelerator=Accelerator.NVIDIA_L4.count(1),
    security=JobSecurity(run_as_user=1000),
    checkpoint=shared.for_job(keep_last=3, grace_period=Duration.minutes(2)),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE),
)

# A bucket in the pods themselves, with a cache of the files that are read.
bucket = RwxCheckpointStore(
    chart,
    "Bucket",
    metadata={"name": "bucket"},
    backend=RwxBackend.gcs_fuse(
        "ml-prod-checkpoints", inline=True, hierarchical_namespace=True, cache=GcsFuseCache(size=Size.gibibytes(100))
    ),
)

TrainingJob(
    chart,
    "Speech",
    metadata={"name": "speech"},
    framework=Framework.jax(),
    image="registry.example/speech:1",
    replicas=2,
    accelerator=Accelerator.NVIDIA_L4.count(1),
    service_account=trainer.service_account,
    checkpoint=bucket.for_job(),
)

# Memory of the node, memory of its peers, and a bucket behind them, for a job that saves every minute.
tiers = RwxCheckpointStore(
    chart,
    "Tiers",
    metadata={"name": "tiers"},
    backend=RwxBackend.multi_tier(
        "ml-prod-tiers", ram_disk=Size.gibibytes(300), machine_type="a3-highgpu-8g", hierarchical_namespace=True
    ),
)

TrainingJob(
    chart,
    "Pretrain",
    metadata={"name": "pretrain"},
    framework=Framework.pytorch(),
    image="registry.example/pretrain:1",
    command=["torchrun", "train.py"],
    replicas=16,
    accelerator=Accelerator.NVIDIA_H100_80_GB.on_machine("a3-highgpu-8g").count(8),
    checkpoint=tiers.for_job(),
    scheduling=Scheduling(queue_name="pretraining"),
    engine=Engine.trainer(),
)

app.synth()
