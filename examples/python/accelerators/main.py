from cdk8s import App, Chart, Size
from trainyard import Accelerator, Framework, GpuSharing, MigSize, RestartPolicy, RunPolicy, TrainingJob, TrainingResources

app = App()
chart = Chart(app, "accelerators")

# Two whole A3 High machines: eight H100 each, with GPUDirect-TCPX.
TrainingJob(
    chart,
    "Pretrain",
    metadata={"name": "pretrain"},
    framework=Framework.pytorch(),
    image="registry.example/train:1",
    command=["torchrun", "train.py"],
    replicas=2,
    accelerator=Accelerator.NVIDIA_H100_80_GB.count(8),
    resources=TrainingResources(memory=Size.gibibytes(1600)),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE),
)

# One slice of sixteen TPU chips: four hosts, each a replica.
TrainingJob(
    chart,
    "Slice",
    metadata={"name": "slice"},
    framework=Framework.jax(),
    image="registry.example/train:1",
    command=["python3", "train.py"],
    replicas=4,
    accelerator=Accelerator.tpu_v6e("4x4").per_host(),
)

# A third of a seventh of an H100, to see whether the program starts at all.
TrainingJob(
    chart,
    "Smoke",
    metadata={"name": "smoke"},
    framework=Framework.plain(),
    image="registry.example/train:1",
    command=["python3", "train.py", "--steps=10"],
    replicas=1,
    accelerator=Accelerator.NVIDIA_H100_80_GB.partitioned(MigSize.MIG_1_G_10_GB).shared(GpuSharing.time_sharing(3)).count(1),
)

app.synth()
