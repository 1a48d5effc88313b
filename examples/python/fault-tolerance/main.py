from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu
from trainyard import (
    Checkpoint,
    ExitCodes,
    Framework,
    Gpu,
    NodeAvoidance,
    NodeLoss,
    RestartBackoff,
    RestartPolicy,
    RunPolicy,
    Scheduling,
    StuckPodPolicy,
    Toleration,
    TrainingJob,
    TrainingResources,
)

app = App()
chart = Chart(app, "fault-tolerance")

# Spot machines: disruptions cost nothing but time, programs that fail again and again end the job.
TrainingJob(
    chart,
    "Spot",
    metadata={"name": "spot"},
    framework=Framework.pytorch(),
    image="registry.example/train:1",
    command=["torchrun", "train.py"],
    replicas=4,
    resources=TrainingResources(gpu=Gpu.nvidia(8)),
    checkpoint=Checkpoint.at("gs://runs/spot", grace_period=Duration.seconds(25)),
    scheduling=Scheduling(
        node_selector={"cloud.google.com/gke-spot": "true"},
        tolerations=[Toleration(key="cloud.google.com/gke-spot")],
    ),
    run_policy=RunPolicy(
        restart_policy=RestartPolicy.ON_FAILURE,
        backoff_limit=3,
        backoff=RestartBackoff(initial=Duration.seconds(5), max=Duration.minutes(2), reset_after=Duration.minutes(30)),
        exit_codes=ExitCodes(recover=[75], fail=[2]),
        disruption_limit=50,
        pre_running_deadline=Duration.hours(12),
        active_deadline=Duration.days(2),
        ttl_after_finished=Duration.days(7),
        start_timeout=Duration.minutes(10),
        node_loss=NodeLoss(grace=Duration.seconds(20), force_delete_after=Duration.seconds(10)),
        node_avoidance=NodeAvoidance(after_failures=2, avoid_for=Duration.hours(1)),
    ),
)

# Independent workers: the kubelet restarts what fails, in place. No result must be written twice, so the job waits for nodes that are cut off. It
# starts when somebody says so: kubectl patch mltj sweep --type merge --patch '{"spec":{"suspend":false}}'
TrainingJob(
    chart,
    "Sweep",
    metadata={"name": "sweep"},
    framework=Framework.plain(),
    image="registry.example/sweep:1",
    command=["python3", "worker.py"],
    replicas=16,
    resources=TrainingResources(cpu=Cpu.units(2), memory=Size.gibibytes(4)),
    suspend=True,
    run_policy=RunPolicy(
        restart_policy=RestartPolicy.ON_FAILURE,
        backoff_limit=100,
        restart_in_place=True,
        node_loss=NodeLoss(stuck_pods=StuckPodPolicy.WAIT),
    ),
)

app.synth()
