from cdk8s import App, Chart, Size
from cdk8s_plus_28 import Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim
from trainyard import Checkpoint, Framework, RestartPolicy, RunPolicy, TrainingJob, TrainingResources

app = App()
chart = Chart(app, "quickstart")

runs = PersistentVolumeClaim(
    chart,
    "Runs",
    metadata={"name": "runs"},
    access_modes=[PersistentVolumeAccessMode.READ_WRITE_MANY],
    storage=Size.gibibytes(10),
)

TrainingJob(
    chart,
    "Digits",
    metadata={"name": "digits"},
    framework=Framework.jax(),
    image="registry.example/digits:1",
    command=["python3", "train.py"],
    replicas=2,
    resources=TrainingResources(cpu=Cpu.units(2), memory=Size.gibibytes(4)),
    hyperparameters={"EPOCHS": "20", "LEARNING_RATE": "0.1"},
    checkpoint=Checkpoint.on_claim(runs),
    run_policy=RunPolicy(restart_policy=RestartPolicy.ON_FAILURE, backoff_limit=3),
)

app.synth()
