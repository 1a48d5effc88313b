from cdk8s import App, Chart
from trainyard import TrainingOperator

app = App()
chart = Chart(app, "operator")

TrainingOperator(chart, "TrainingOperator")

app.synth()
