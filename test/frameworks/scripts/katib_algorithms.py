"""Asks Katib's services of algorithms about Experiments, as its controller does.

Reads an Experiment a line, and writes what came of it: why its service refused it, why it gave no values, and the values that it gave. Arguments are the
folder with Katib's Python code, the program of the algorithms in Go, and the variable with that program's address.
"""

import json
import logging
import os
import socket
import subprocess
import sys

import grpc

FOLDER, GOPTUNA, ADDRESS_VARIABLE = sys.argv[1:4]
for place in ["pkg/apis/manager/health/python", "pkg/apis/manager/v1beta1/python", ""]:
    sys.path.insert(0, os.path.join(FOLDER, place))

from pkg.apis.manager.v1beta1.python import api_pb2, api_pb2_grpc  # noqa: E402
from pkg.suggestion.v1beta1.hyperband.service import HyperbandService  # noqa: E402
from pkg.suggestion.v1beta1.hyperopt.service import HyperoptService  # noqa: E402
from pkg.suggestion.v1beta1.optuna.service import OptunaService  # noqa: E402
from pkg.suggestion.v1beta1.skopt.service import SkoptService  # noqa: E402

logging.disable(logging.CRITICAL)

TYPES = {"double": api_pb2.DOUBLE, "int": api_pb2.INT, "discrete": api_pb2.DISCRETE, "categorical": api_pb2.CATEGORICAL}
DISTRIBUTIONS = {"uniform": api_pb2.UNIFORM, "logUniform": api_pb2.LOG_UNIFORM}
ROUNDS = 3


class Refused(Exception):
    pass


class Context:
    """Stands in for gRPC's, whose services say there what is wrong."""

    def set_code(self, code):
        self.code = code

    def set_details(self, details):
        raise Refused(details)


class Goptuna:
    """The service in Go, a process for each Experiment, because it remembers the first."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % free.getsockname()[1]
        self.process = subprocess.Popen([GOPTUNA], env={ADDRESS_VARIABLE: address}, stderr=subprocess.DEVNULL)
        channel = grpc.insecure_channel(address)
        grpc.channel_ready_future(channel).result()
        self.stub = api_pb2_grpc.SuggestionStub(channel)

    def ValidateAlgorithmSettings(self, request, _context):
        return self.ask(self.stub.ValidateAlgorithmSettings, request)

    def GetSuggestions(self, request, _context):
        return self.ask(self.stub.GetSuggestions, request)

    def ask(self, method, request):
        try:
            return method(request)
        except grpc.RpcError as error:
            raise Refused(error.details()) from error

    def close(self):
        self.process.kill()
        self.process.wait()


SERVICES = {
    "random": HyperoptService, "tpe": HyperoptService, "grid": OptunaService, "multivariate-tpe": OptunaService,
    "bayesianoptimization": SkoptService, "hyperband": HyperbandService, "cmaes": Goptuna, "sobol": Goptuna,
}  # fmt: skip


def converted(experiment):
    spec = experiment["spec"]
    result = api_pb2.Experiment(name=experiment["metadata"]["name"])
    result.spec.algorithm.algorithm_name = spec["algorithm"]["algorithmName"]
    for setting in spec["algorithm"].get("algorithmSettings", []):
        result.spec.algorithm.algorithm_settings.add(name=setting["name"], value=setting["value"])
    objective = spec["objective"]
    result.spec.objective.type = {"minimize": api_pb2.MINIMIZE, "maximize": api_pb2.MAXIMIZE}[objective["type"]]
    result.spec.objective.objective_metric_name = objective["objectiveMetricName"]
    for parameter in spec["parameters"]:
        space = parameter["feasibleSpace"]
        added = result.spec.parameter_specs.parameters.add(name=parameter["name"], parameter_type=TYPES[parameter["parameterType"]])
        added.feasible_space.min = space.get("min", "")
        added.feasible_space.max = space.get("max", "")
        added.feasible_space.step = space.get("step", "")
        added.feasible_space.list.extend(space.get("list", []))
        # The default that Katib's webhook sets.
        added.feasible_space.distribution = DISTRIBUTIONS[space.get("distribution", "uniform")]
    result.spec.parallel_trial_count = spec["parallelTrialCount"]
    result.spec.max_trial_count = spec["maxTrialCount"]
    return result


def ended_trial(number, assignments, objective):
    trial = api_pb2.Trial(name=assignments.trial_name or "trial-%d" % number)
    for assignment in assignments.assignments:
        trial.spec.parameter_assignments.assignments.add(name=assignment.name, value=assignment.value)
    for name, value in assignments.labels.items():
        trial.spec.labels[name] = value
    trial.spec.objective.CopyFrom(objective)
    trial.status.condition = api_pb2.TrialStatus.SUCCEEDED
    trial.status.start_time = "2026-01-01T00:00:00Z"
    trial.status.completion_time = "2026-01-01T00:00:01Z"
    trial.status.observation.metrics.add(name=objective.objective_metric_name, value=str(number * 0.1))
    return trial


def ask(service, experiment):
    request = converted(experiment)
    service.ValidateAlgorithmSettings(api_pb2.ValidateAlgorithmSettingsRequest(experiment=request), Context())
    trials = []
    for _ in range(ROUNDS):
        count = min(request.spec.parallel_trial_count, request.spec.max_trial_count - len(trials))
        if count > 0:
            reply = service.GetSuggestions(api_pb2.GetSuggestionsRequest(
                experiment=request, trials=trials, current_request_number=count, total_request_number=len(trials) + count), Context())  # fmt: skip
            given = reply.parameter_assignments
            trials += [ended_trial(len(trials) + index, each, request.spec.objective) for index, each in enumerate(given)]
    return [{one.name: one.value for one in trial.spec.parameter_assignments.assignments} for trial in trials]


for line in sys.stdin:
    experiment = json.loads(line)
    service = SERVICES[experiment["spec"]["algorithm"]["algorithmName"]]()
    try:
        answer = {"values": ask(service, experiment)}
    except Exception as error:  # Whatever ends a service is what is asked for here.
        answer = {"refused": "%s: %s" % (type(error).__name__, error)}
    if isinstance(service, Goptuna):
        service.close()
    print(json.dumps(answer), flush=True)
