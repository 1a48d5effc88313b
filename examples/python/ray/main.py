from cdk8s import App, Chart, Cron, Duration, Size
from cdk8s_plus_28 import Cpu, Secret
from trainyard import Accelerator, TrainingResources
from trainyard.ray import (
    RayAuthentication,
    RayAutoscaler,
    RayCluster,
    RayClusterOptions,
    RayCronJob,
    RayDeletionPolicy,
    RayDeletionRule,
    RayFaultTolerance,
    RayHead,
    RayJob,
    RayJobEnd,
    RayJobOptions,
    RayRuntimeEnv,
    RayService,
    RayWorkerGroup,
    ServeApplication,
    ServeAutoscaling,
    ServeDeployment,
)

app = App()
chart = Chart(app, "ray", namespace="team-a")

image = "rayproject/ray:2.54.0-py311"

# A cluster for the team: workers come when somebody needs them, and a lost head comes back with its state.
team = RayCluster(
    chart,
    "Team",
    metadata={"name": "team"},
    image=image,
    head=RayHead(runs_tasks=False, resources=TrainingResources(cpu=Cpu.units(4), memory=Size.gibibytes(16))),
    worker_groups=[
        RayWorkerGroup(
            name="cpu", resources=TrainingResources(cpu=Cpu.units(8), memory=Size.gibibytes(32)), min_replicas=1, max_replicas=10
        ),
        RayWorkerGroup(
            name="l4",
            image="rayproject/ray:2.54.0-py311-gpu",
            accelerator=Accelerator.NVIDIA_L4.count(1),
            resources=TrainingResources(cpu=Cpu.units(8), memory=Size.gibibytes(32)),
            max_replicas=4,
            idle_timeout=Duration.minutes(10),
        ),
    ],
    autoscaler=RayAutoscaler(idle_timeout=Duration.minutes(1)),
    fault_tolerance=RayFaultTolerance.own_redis(
        password={"secret": Secret.from_secret_name(chart, "RedisPassword", "ray-redis"), "key": "password"}
    ),
    authentication=RayAuthentication.token(),
)

# The dashboard for people of the company's network, and no other port.
team.expose_dashboard(annotations={"networking.gke.io/load-balancer-type": "Internal"})

# A program on it, every night.
RayCronJob(
    chart,
    "Report",
    metadata={"name": "report"},
    schedule=Cron.schedule(minute="0", hour="3"),
    time_zone="Europe/Berlin",
    job=RayJobOptions(entrypoint="python report.py", on_cluster=team, runtime_env=RayRuntimeEnv(working_dir="gs://code/report.zip")),
)

# A program on a TPU slice of 16 chips: one replica of four hosts, which goes with the job; a failed one stays for a day to be looked at.
RayJob(
    chart,
    "Train",
    metadata={"name": "train"},
    entrypoint="python train.py",
    cluster=RayClusterOptions(
        image=image,
        worker_groups=[
            RayWorkerGroup(
                name="tpu",
                accelerator=Accelerator.tpu_v6e("4x4").per_host(),
                resources=TrainingResources(cpu=Cpu.units(40), memory=Size.gibibytes(200)),
            )
        ],
    ),
    retries=2,
    active_deadline=Duration.hours(12),
    pre_running_deadline=Duration.minutes(30),
    deletion_rules=[
        RayDeletionRule(policy=RayDeletionPolicy.CLUSTER, end=RayJobEnd.SUCCEEDED),
        RayDeletionRule(policy=RayDeletionPolicy.WORKERS, end=RayJobEnd.FAILED),
        RayDeletionRule(policy=RayDeletionPolicy.CLUSTER, end=RayJobEnd.FAILED, after=Duration.days(1)),
        RayDeletionRule(policy=RayDeletionPolicy.CLUSTER, end=RayJobEnd.GIVEN_UP),
    ],
)

# A model behind an address. A changed image starts a new cluster beside the one that serves.
cluster = RayClusterOptions(
    image="rayproject/ray-llm:2.54.0-py311-cu128",
    worker_groups=[
        RayWorkerGroup(
            name="l4",
            accelerator=Accelerator.NVIDIA_L4.count(1),
            resources=TrainingResources(cpu=Cpu.units(8), memory=Size.gibibytes(32)),
            min_replicas=1,
            max_replicas=8,
        )
    ],
    autoscaler=RayAutoscaler(),
)
RayService(
    chart,
    "Chat",
    metadata={"name": "chat"},
    cluster=cluster,
    applications=[
        ServeApplication(
            name="chat",
            import_path="chat.app:chat",
            runtime_env=RayRuntimeEnv(working_dir="https://example.org/chat-1.zip"),
            deployments=[
                ServeDeployment(
                    name="Model",
                    gpus=1,
                    autoscaling=ServeAutoscaling(min_replicas=1, max_replicas=8, target_ongoing_requests=4),
                    max_ongoing_requests=8,
                )
            ],
        )
    ],
)

app.synth()
