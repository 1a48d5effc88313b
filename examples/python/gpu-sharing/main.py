from typing import Optional

from cdk8s import App, Chart, Size
from cdk8s_plus_28 import Cpu
from trainyard import Accelerator, Framework, GpuSharing, MigSize, MigStrategy, TrainingJob, TrainingResources
from trainyard.gpu_operator import (
    DevicePluginConfig,
    DevicePluginSettings,
    DevicePluginSharing,
    FeatureMatch,
    FeatureValue,
    GpuOperatorPolicy,
    MigLayout,
    MigPartedConfig,
    NodeFeatureOptions,
    NodeFeatureRule,
)

app = App()
chart = Chart(app, "gpu-sharing", namespace="gpu-operator")

# Nodes choose by the label nvidia.com/device-plugin.config: four notebooks a GPU, or three inference servers on each small partition.
sharing = DevicePluginConfig(
    chart,
    "Sharing",
    metadata={"name": "gpu-sharing"},
    configs={
        "whole": DevicePluginSettings(mig_strategy=MigStrategy.MIXED),
        "notebooks": DevicePluginSettings(sharing=DevicePluginSharing.time_slicing().gpus(4)),
        "inference": DevicePluginSettings(
            mig_strategy=MigStrategy.MIXED,
            sharing=DevicePluginSharing.time_slicing().partitions(MigSize.MIG_1_G_10_GB, 3),
        ),
    },
    default_config="whole",
)

# And by nvidia.com/mig.config into which partitions their GPUs are divided.
partitions = MigPartedConfig(
    chart,
    "Partitions",
    metadata={"name": "gpu-partitions"},
    configs={
        "all-small": [MigLayout.of({"1g.10gb": 7}, product="NVIDIA-H100-80GB-HBM3")],
        "first-mixed": [
            MigLayout.of({"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}, devices=[0], product="NVIDIA-H100-80GB-HBM3"),
            MigLayout.disabled(devices=[1, 2, 3, 4, 5, 6, 7]),
        ],
    },
)

GpuOperatorPolicy(
    chart,
    "Policy",
    operator_namespace="gpu-operator",
    mig_strategy=MigStrategy.MIXED,
    device_plugin_config=sharing,
    mig_config=partitions,
    service_monitor=True,
)

# A label for nodes with NVIDIA's GPUs and InfiniBand.
infiniband = FeatureMatch.of("pci.device", {"vendor": FeatureValue.is_in("15b3"), "class": FeatureValue.is_in("0207")})
NodeFeatureRule(
    chart,
    "Fabric",
    metadata={"name": "fabric"},
    rules={
        "infiniband": NodeFeatureOptions(
            labels={"example.com/fabric": "infiniband"},
            all_of=[FeatureMatch.pci_device("10de"), infiniband],
        ),
    },
)

# Jobs ask for them by the product.
h100 = Accelerator.product("NVIDIA-H100-80GB-HBM3")


def job(id: str, accelerator: Accelerator, count: int, resources: Optional[TrainingResources] = None) -> None:
    TrainingJob(
        chart,
        id,
        metadata={"name": id.lower(), "namespace": "team-a"},
        framework=Framework.pytorch(),
        image="registry.example/train:1",
        replicas=1,
        accelerator=accelerator.count(count),
        resources=resources,
    )


job("Train", h100, 8)
# With whole GPUs, /dev/shm is set by default; with a part of one, the job sets what its data loaders need.
part = TrainingResources(cpu=Cpu.units(4), memory=Size.gibibytes(32), shared_memory=Size.gibibytes(4))
job("Tune", h100.partitioned(MigSize.MIG_3_G_40_GB), 1, part)
job("Smoke", h100.shared(GpuSharing.time_sharing(4)), 1, part)

app.synth()
