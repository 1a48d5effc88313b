from cdk8s import App, Chart, Size
from cdk8s_plus_28 import Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim
from trainyard import Checkpoint, Framework, JobArray, TrainingJob, TrainingResources

app = App()
chart = Chart(app, "array")

results = PersistentVolumeClaim(
    chart,
    "Results",
    metadata={"name": "results"},
    access_modes=[PersistentVolumeAccessMode.READ_WRITE_MANY],
    storage=Size.gibibytes(1),
)

# Twelve copies of one job, three at a time; each counts the primes in its part of the numbers.
TrainingJob(
    chart,
    "Primes",
    metadata={"name": "primes"},
    framework=Framework.plain(),
    image="registry.example/primes:1",
    command=["python3", "primes.py"],
    replicas=1,
    resources=TrainingResources(cpu=Cpu.units(1), memory=Size.mebibytes(256)),
    hyperparameters={"LIMIT": "120000"},
    array=JobArray(count=12, parallelism=3, max_failed_indexes=2),
    # A folder of the claim for each copy: primes/index-0, primes/index-1 and so on.
    checkpoint=Checkpoint.on_claim(results, path="/results"),
)

app.synth()
