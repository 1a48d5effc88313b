/**
 * What starts a run of a pipeline: a few lines of Python for its standard library alone, which know the pipeline by its name. The scheduled
 * workflows of Kubeflow Pipelines know pipelines by ids, which nobody has before the pipeline is applied.
 * @see https://www.kubeflow.org/docs/components/pipelines/reference/api/kubeflow-pipeline-api-spec/
 */

/** Where the pod's token for Kubeflow Pipelines is. */
export const TOKEN_FOLDER = '/var/run/secrets/kubeflow/pipelines';

/** The program. Its settings are variables. */
export const RUN_SCRIPT = `import datetime, json, os, sys, urllib.error, urllib.parse, urllib.request

settings = json.loads(os.environ["TRAINYARD_RUN"])
headers = {"Content-Type": "application/json"}
token = os.environ.get("TRAINYARD_TOKEN_FILE", "${TOKEN_FOLDER}/token")
if os.path.exists(token):
    with open(token) as file:
        headers["Authorization"] = "Bearer " + file.read().strip()


def call(path, body=None, **query):
    url = settings["endpoint"].rstrip("/") + "/apis/v2beta1/" + path
    query = {name: value for name, value in query.items() if value}
    if query:
        url += "?" + urllib.parse.urlencode(query)
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit("run: %s answers %d: %s" % (url, error.code, error.read().decode(errors="replace")[:500]))
    except OSError as error:
        sys.exit("run: %s does not answer: %s" % (url, error))


def find(path, field, name, **query):
    while True:
        page = call(path, page_size=100, **query)
        for entry in page.get(field) or []:
            if name in (entry.get("name"), entry.get("display_name")):
                return entry
        query["page_token"] = page.get("next_page_token")
        if not query["page_token"]:
            return None


namespace = settings.get("namespace")
pipeline = call("pipelines/names/" + urllib.parse.quote(settings["pipeline"], safe=""), namespace=namespace)
version = find("pipelines/%s/versions" % pipeline["pipeline_id"], "pipeline_versions", settings["version"])
if version is None:
    sys.exit("run: pipeline %s has no version %s" % (settings["pipeline"], settings["version"]))
experiment = find("experiments", "experiments", settings["experiment"], namespace=namespace)
if experiment is None:
    experiment = call("experiments", {"display_name": settings["experiment"], "namespace": namespace or ""})
now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H%M%S")
run = {
    "display_name": "%s-%s" % (settings["name"], now),
    "experiment_id": experiment["experiment_id"],
    "pipeline_version_reference": {"pipeline_id": pipeline["pipeline_id"], "pipeline_version_id": version["pipeline_version_id"]},
    "runtime_config": {"parameters": settings["parameters"]},
}
if settings.get("pipelineRoot"):
    run["runtime_config"]["pipeline_root"] = settings["pipelineRoot"]
if settings.get("serviceAccount"):
    run["service_account"] = settings["serviceAccount"]
print("run: started", call("runs", run)["run_id"])
`;
