from pathlib import Path

from cdk8s import App, Chart
from cdk8s_plus_28 import ServiceAccount
from trainyard.pipelines import Pipeline, PipelineFile, RecurringRun

app = App()
chart = Chart(app, "pipelines", namespace="team-a")

pipeline = Pipeline(chart, "Nightly", metadata={"name": "nightly-training"}, display_name="Nightly training")

# The file is read and checked here, in the folder of the TypeScript program. A changed file gets a version of its own.
file = Path(__file__).parents[2] / "pipelines" / "pipeline.yaml"
version = pipeline.add_version("v1", PipelineFile.from_file(str(file)), description="The first one")

RecurringRun(
    chart,
    "Every night",
    metadata={"name": "nightly"},
    version=version,
    schedule="0 2 * * *",
    time_zone="Europe/Berlin",
    parameters={"table": "clicks", "epochs": 5},
    experiment="nightly",
    service_account=ServiceAccount.from_service_account_name(chart, "Runner", "pipeline-runner"),
)

app.synth()
