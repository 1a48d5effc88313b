from cdk8s import App, Chart, Duration, Size
from cdk8s_plus_28 import Cpu, EnvValue, PersistentVolumeClaim, Secret, Volume
from trainyard import Checkpoint, Framework, Gpu, Scheduling, TrainingJob, TrainingResources, VolumeMount
from trainyard.workbench import Notebook, NotebookServer, PodDefault, TensorBoard, TensorBoardLogs, Workspace, WorkspaceServer

app = App()
chart = Chart(app, "workbench", namespace="team-a")

claim = PersistentVolumeClaim.from_claim_name(chart, "HomeClaim", "home-ada")
home = Volume.from_persistent_volume_claim(chart, "Home", claim, name="home")

job = TrainingJob(
    chart,
    "Vision",
    metadata={"name": "vision"},
    framework=Framework.pytorch(),
    image="registry.example/vision:1",
    command=["torchrun", "train.py"],
    replicas=4,
    resources=TrainingResources(gpu=Gpu.nvidia(8)),
    scheduling=Scheduling(queue_name="research"),
    checkpoint=Checkpoint.at("gs://runs/vision"),
)

# One replica of the job for debugging its script, with one GPU instead of eight. It waits in the same queue, and stops an hour
# after the last connection.
Workspace.of(
    job,
    job_name="vision-ada",
    server=WorkspaceServer.ssh(authorized_keys=Secret.from_secret_name(chart, "Keys", "keys-ada")),
    idle_timeout=Duration.hours(1),
    resources=TrainingResources(gpu=Gpu.nvidia(1)),
    volume_mounts=[VolumeMount(path="/home/ada", volume=home)],
)

# What any notebook of the team can choose in the dashboard, and this one has.
mirror = PodDefault(
    chart,
    "Mirror",
    metadata={"name": "pip-mirror"},
    description="Python packages from the mirror",
    env={"PIP_INDEX_URL": EnvValue.from_value("https://mirror.example/simple")},
)

Notebook(
    chart,
    "Lab",
    metadata={"name": "ada"},
    server=NotebookServer.jupyter("registry.example/jupyter-pytorch-full:v1.10.0"),
    resources=TrainingResources(cpu=Cpu.units(4), memory=Size.gibibytes(16)),
    volume_mounts=[VolumeMount(path="/home/jovyan", volume=home)],
    pod_defaults=[mirror],
)

TensorBoard(chart, "Board", metadata={"name": "vision"}, logs=TensorBoardLogs.of_job(job, "logs"))

app.synth()
