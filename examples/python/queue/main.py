from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim
from trainyard import (
    Checkpoint,
    Framework,
    Gang,
    QueueMode,
    RestartPolicy,
    RunPolicy,
    Scheduling,
    Topology,
    TopologyMode,
    TrainingJob,
    TrainingResources,
)

app = App()
chart = Chart(app, "queue")

checkpoints = PersistentVolumeClaim(
    chart,
    "Checkpoints",
    metadata={"name": "checkpoints", "namespace": "team-a"},
    access_modes=[PersistentVolumeAccessMode.READ_WRITE_MANY],
    storage=Size.gibibytes(100),
)

# In a queue of Kueue: quota, priority, preemption.
TrainingJob(
    chart,
    "Queued",
    metadata={"name": "queued", "namespace": "team-a"},
    framework=Framework.jax(),
    image="registry.example/train:1",
    command=["python3", "train.py"],
    replicas=4,
    resources=TrainingResources(cpu=Cpu.units(4)),
    scheduling=Scheduling(queue_name="team-a", queue_priority_class_name="production"),
    checkpoint=Checkpoint.on_claim(checkpoints, grace_period=Duration.minutes(2)),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE),
)

# All or nothing, by the scheduler of this job, with replicas close to each other if that can be.
TrainingJob(
    chart,
    "Gang",
    metadata={"name": "gang", "namespace": "team-a"},
    framework=Framework.pytorch(),
    image="registry.example/train:1",
    command=["python3", "train.py"],
    replicas=4,
    resources=TrainingResources(cpu=Cpu.units(4)),
    scheduling=Scheduling(
        gang=Gang.volcano(queue="research", schedule_timeout=Duration.minutes(5)),
        topology=Topology(key="topology.kubernetes.io/zone", mode=TopologyMode.PREFERRED),
    ),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE),
)

# In the queue as a group of plain pods, which a Kueue that knows no MLTrainingJob takes too.
TrainingJob(
    chart,
    "Group",
    metadata={"name": "group", "namespace": "team-a"},
    framework=Framework.plain(),
    image="registry.example/sweep:1",
    replicas=8,
    resources=TrainingResources(cpu=Cpu.units(1)),
    scheduling=Scheduling(queue_name="team-a", queue_mode=QueueMode.POD_GROUP),
)

# The same job as a gang of each scheduler that there is: only this line differs.
gangs = {
    "coscheduling": Gang.coscheduling(),
    "kai": Gang.kai(queue="research"),
    "yunikorn": Gang.yuni_korn(),
    "native": Gang.native(min_available=2),
}
for name, gang in gangs.items():
    TrainingJob(
        chart,
        name,
        metadata={"name": name, "namespace": "team-a"},
        framework=Framework.plain(),
        image="registry.example/sweep:1",
        replicas=4,
        resources=TrainingResources(cpu=Cpu.units(1)),
        scheduling=Scheduling(gang=gang),
    )

app.synth()
