from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import PersistentVolumeAccessMode, PersistentVolumeClaim
from trainyard import (
    Accelerator,
    Checkpoint,
    Framework,
    Gpu,
    RestartPolicy,
    RunPolicy,
    Scheduling,
    Topology,
    TrainingJob,
    TrainingResources,
)
from trainyard.gke import (
    Capacity,
    GkeClusterReference,
    GpuNodePool,
    GpuResourceFlavors,
    NodeCount,
    NodeNetwork,
    NodeNetworkOptions,
    ProvisioningRetries,
    QueuedProvisioningCheck,
)
from trainyard.queues import (
    AdmissionCheckUse,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorQuotas,
    FlavorSearch,
    GpuTopology,
    LocalQueue,
    MultiKueue,
    MultiKueueCluster,
    MultiKueueSource,
    PreemptionWithinQueue,
    QueuePreemption,
    Quota,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    WorkloadPriorityClass,
)

app = App()
chart = Chart(app, "queues")
cluster = GkeClusterReference.named("ml", location="us-central1")

# A network for each of the four interfaces that the machines have besides the ordinary one.
additional_networks = [
    NodeNetwork(network=f"gpu-{index}", subnetwork=f"gpu-{index}", mtu=8244) for index in [1, 2, 3, 4]
]


# Two pools of the same GPUs, and a flavor for each, the cheaper one first. Machines of the second one come when a job has its quota.
def pool(name: str, capacity: Capacity) -> GpuNodePool:
    return GpuNodePool(
        chart,
        name,
        name=name,
        cluster=cluster,
        accelerator=Accelerator.NVIDIA_H100_80_GB.on_machine("a3-highgpu-8g"),
        size=NodeCount.total(0, 4),
        capacity=[capacity],
        zones=["us-central1-a"],
        network=NodeNetworkOptions(gvnic=True, additional_networks=additional_networks),
    )


pools = [pool("h100-spot", Capacity.SPOT), pool("h100-queued", Capacity.QUEUED)]
spot, queued = GpuResourceFlavors(
    chart, "Flavors", pools=pools, topology=GpuTopology(chart, "Topology", name="gke")
).flavors
machines = QueuedProvisioningCheck(
    chart,
    "Machines",
    name="machines",
    max_run_duration=Duration.days(3),
    retries=ProvisioningRetries(limit=5, first_pause=Duration.minutes(5)),
)

# Research and production lend to each other within the lab. Production takes back what is its own, and shares are two to one.
lab = Cohort(chart, "Lab", name="lab")


def queue(name: str, gpus: int, fair_sharing_weight: int, reclaim_within_cohort: ReclaimWithinCohort) -> ClusterQueue:
    quota = Quota.gpu(Gpu.nvidia(gpus), lending_limit=gpus)
    return ClusterQueue(
        chart,
        name,
        name=name,
        cohort=lab,
        fair_sharing_weight=fair_sharing_weight,
        preemption=QueuePreemption(
            within_cluster_queue=PreemptionWithinQueue.LOWER_PRIORITY, reclaim_within_cohort=reclaim_within_cohort
        ),
        # A machine that is there is better than one that has to come.
        flavor_fungibility=FlavorFungibility(when_can_borrow=FlavorSearch.MAY_STOP),
        admission_checks=[AdmissionCheckUse(check=machines, on_flavors=[queued])],
        resource_groups=[
            ResourceGroup(flavors=[FlavorQuotas(flavor=flavor, quotas=[quota]) for flavor in [spot, queued]])
        ],
        uncounted_resources=["cpu", "memory"],
    )


research = queue("research", 8, 1, ReclaimWithinCohort.NEVER)
production = queue("production", 24, 2, ReclaimWithinCohort.ANY)
LocalQueue(chart, "Vision", metadata={"name": "vision", "namespace": "vision"}, cluster_queue=research)
LocalQueue(chart, "Serving", metadata={"name": "models", "namespace": "models"}, cluster_queue=production)
WorkloadPriorityClass(chart, "Deadline", name="deadline", value=1000, description="Work that somebody waits for.")

# What runs anywhere runs in whichever of two clusters has room first.
clusters = [
    MultiKueueCluster(chart, name, name=name, source=MultiKueueSource.kube_config_secret(f"{name}-kubeconfig"))
    for name in ["east", "west"]
]
anywhere = ClusterQueue(
    chart,
    "Anywhere",
    name="anywhere",
    admission_checks=[AdmissionCheckUse(check=MultiKueue(chart, "Clusters", name="clusters", clusters=clusters))],
    resource_groups=[
        ResourceGroup(
            flavors=[FlavorQuotas(flavor=ResourceFlavor(chart, "Any", name="any"), quotas=[Quota.gpu(Gpu.nvidia(256))])]
        ),
    ],
)
LocalQueue(chart, "VisionAnywhere", metadata={"name": "anywhere", "namespace": "vision"}, cluster_queue=anywhere)

checkpoints = PersistentVolumeClaim(
    chart,
    "Checkpoints",
    metadata={"name": "checkpoints", "namespace": "vision"},
    access_modes=[PersistentVolumeAccessMode.READ_WRITE_MANY],
    storage=Size.gibibytes(1000),
)

# 32 GPUs: eight are research's own, and production lends the others while it does not need them.
TrainingJob(
    chart,
    "Train",
    metadata={"name": "train", "namespace": "vision"},
    framework=Framework.pytorch(),
    image="registry.example/train:1",
    command=["torchrun", "train.py"],
    replicas=4,
    resources=TrainingResources(gpu=Gpu.nvidia(8)),
    scheduling=Scheduling(
        queue_name="vision",
        queue_priority_class_name="deadline",
        topology=Topology(key="cloud.google.com/gce-topology-block"),
    ),
    checkpoint=Checkpoint.on_claim(checkpoints, grace_period=Duration.minutes(2)),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE),
)

app.synth()
