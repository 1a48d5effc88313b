from typing import Optional

from cdk8s import App, Duration, Size
from cdk8s_plus_28 import Cpu
from trainyard import (
    Framework,
    Gpu,
    JobRules,
    JobSecurity,
    RestartPolicy,
    RunPolicy,
    Scheduling,
    TrainingJob,
    TrainingResources,
)
from trainyard.gitops import ArgoCdJobs
from trainyard.platform import (
    Delivery,
    KubeflowPlatform,
    PlatformComponent,
    PlatformEnvironment,
    PodSecurityLevel,
    Team,
    TeamPeople,
    TeamQuota,
)
from trainyard.queues import ClusterQueue, FlavorQuotas, Quota, ResourceFlavor, ResourceGroup, WorkloadPriorityClass

app = App()

# The operator, then a team with its queue, then its jobs. Argo CD goes on when what came before is healthy.
platform = KubeflowPlatform(
    app,
    "gitops",
    environment=PlatformEnvironment.OTHER,
    components=[PlatformComponent.training_operator()],
    charts=["team", "jobs"],
    delivery=Delivery.argo_cd(repository="https://git.example/ml.git"),
)

team = platform.chart("team")
h100 = ResourceFlavor(team, "H100", name="h100", node_labels={"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"})
quotas = [Quota.gpu(Gpu.nvidia(32)), Quota.cpu(Cpu.units(384)), Quota.memory(Size.tebibytes(4))]
cluster_queue = ClusterQueue(
    team,
    "Queue",
    name="vision",
    namespaces=["vision"],
    resource_groups=[ResourceGroup(flavors=[FlavorQuotas(flavor=h100, quotas=quotas)])],
)
WorkloadPriorityClass(team, "Deadline", name="deadline", value=1000, description="Work that somebody waits for.")
vision = Team(
    team,
    "Vision",
    name="vision",
    members=TeamPeople(groups=["vision@example.com"]),
    cluster_queue=cluster_queue,
    quota=TeamQuota(gpu=Gpu.nvidia(32), pods=50),
    pod_security=PodSecurityLevel.RESTRICTED,
    rules=JobRules(allowed_images=["registry.example/*"]),
)

jobs = platform.chart("jobs")


# A job runs once. The next run is a job of another name, and a job that is no longer needed leaves the program.
def train(name: str, queue_name: Optional[str] = None, suspend: Optional[bool] = None) -> None:
    TrainingJob(
        jobs,
        name,
        metadata={"name": name, "namespace": vision.namespace_name},
        framework=Framework.pytorch(),
        image="registry.example/train:1",
        command=["torchrun", "train.py"],
        replicas=2,
        resources=TrainingResources(gpu=Gpu.nvidia(8), cpu=Cpu.units(96), memory=Size.gibibytes(512)),
        scheduling=Scheduling(queue_name=queue_name),
        suspend=suspend,
        security=JobSecurity(restricted=True, run_as_user=1000, fs_group=1000),
        run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE, active_deadline=Duration.days(2)),
    )


train("resnet-1", queue_name=vision.queue_name)
# Starts when a person resumes it.
train("resnet-2", suspend=True)

# Nothing that would run again and again under Argo CD.
ArgoCdJobs(jobs, "ArgoCdJobs", over=jobs)

app.synth()
