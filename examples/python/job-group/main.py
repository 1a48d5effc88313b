from cdk8s import App, Chart, Size
from cdk8s_plus_28 import Cpu
from trainyard import Framework, HelperFailure, JobGroup, JobHelper, TrainingReplicas, TrainingResources, TrainingRole

app = App()
chart = Chart(app, "job-group")

resources = TrainingResources(cpu=Cpu.units(1), memory=Size.mebibytes(512))

# Reinforcement learning: a learner, actors that play for it, and an evaluator that nobody waits for.
JobGroup(
    chart,
    "Bandit",
    metadata={"name": "bandit"},
    primary=TrainingReplicas(
        framework=Framework.plain(),
        image="registry.example/bandit-learner:1",
        command=["python3", "learner.py"],
        roles=[TrainingRole(name="learner")],
        resources=resources,
    ),
    helpers=[
        JobHelper(name="actor", replicas=3, image="registry.example/bandit-actor:1", command=["python3", "actor.py"], resources=resources),
        JobHelper(
            name="evaluator",
            image="registry.example/bandit-actor:1",
            command=["python3", "evaluator.py"],
            resources=resources,
            on_failure=HelperFailure.IGNORE,
        ),
    ],
    hyperparameters={"ARMS": "10", "EPISODES": "3000"},
)

app.synth()
