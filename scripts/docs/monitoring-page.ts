/** docs/operator/monitoring.md: alerts and metrics come from the lists that the constructs are built from. */
import { DCGM, RAY_SOURCES, SERVING_SOURCES, SPARK_SOURCES, VLLM_HTTP, type MetricSource } from './metric-sources';
import { GPU_EXPORTER_FACTS, type GpuExporterName } from '../../src/model/monitoring/gpu/exporters';
import { gpuSystem } from '../../src/model/monitoring/gpu/system';
import { alertsOf, type MonitoredSystem } from '../../src/model/monitoring/monitored-system';
import { raySystem } from '../../src/model/monitoring/ray/system';
import { llmSystem } from '../../src/model/monitoring/serving/llm-system';
import { servingSystem } from '../../src/model/monitoring/serving/system';
import { sparkSystem } from '../../src/model/monitoring/spark/system';

const RAY = raySystem({}, { errorRatio: 0.05, latencySeconds: 1, gpuIdlePercent: 5, pendingSeconds: 1_800 });
const SPARK = sparkSystem({}, { failedTaskRatio: 0.1, garbageCollectionRatio: 0.2, startSeconds: 600 });
const SERVING = servingSystem({}, { errorRatio: 0.05, latencySeconds: 1, waitingRequests: 10 }, ['knative']);
const LLM = llmSystem({ name: 'qwen' }, { errorRatio: 0.05, firstTokenSeconds: 5, waitingRequests: 10 });
const GPUS = gpuSystem({ idlePercent: 5, idleSeconds: 1_800, temperature: 85 });

/** Installations of the exporter, by their names in programs. */
const EXPORTERS: readonly (readonly [string, GpuExporterName, string])[] = [
  ['GKE_MANAGED', 'gke-managed', 'GKE'], ['GPU_OPERATOR', 'gpu-operator', 'NVIDIA\'s GPU operator'], ['CHART', 'chart', 'the chart `dcgm-exporter`'],
];

function exporterRow([name, exporter, by]: (typeof EXPORTERS)[number]): string {
  const { namespaces, of, matchLabels, port } = GPU_EXPORTER_FACTS[exporter];
  const served = alertsOf(gpuSystem({ idlePercent: 5, idleSeconds: 1_800, temperature: 85, exporters: [exporter] }).groups).map(({ alert }) => alert);
  const missing = alertsOf(GPUS.groups).map(({ alert }) => alert).filter((alert) => !served.includes(alert));
  const labels = Object.entries(matchLabels).map(([label, value]) => `\`${label}: ${value}\``).join(', ');
  const code = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(', ');
  return `| \`${name}\` | ${by} | ${code(namespaces)} | ${of === 'pods' ? 'pods' : 'the Service'} with ${labels}, port \`${port}\` | ${missing.length === 0 ? 'none' : code(missing)} |`;
}

/** What the first program of the page writes; the tests of snippets compare it. */
const MANIFEST = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  annotations:
    serving.kserve.io/autoscalerClass: hpa
    serving.kserve.io/deploymentMode: Standard
  name: iris
  namespace: models
spec:
  predictor:
    automountServiceAccountToken: false
    model:
      modelFormat:
        name: sklearn
      storageUri: gs://models/iris/1
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  labels:
    app.kubernetes.io/managed-by: trainyard
    release: kube-prometheus-stack
  name: iris-serving
  namespace: models
spec:
  podMetricsEndpoints:
    - interval: 30s
      path: /metrics
      relabelings:
        - action: keep
          regex: kserve-container
          sourceLabels:
            - __meta_kubernetes_pod_container_name
        - action: keep
          regex: "[0-9]+"
          sourceLabels:
            - __meta_kubernetes_pod_annotation_prometheus_kserve_io_port
        - action: replace
          separator: ":"
          sourceLabels:
            - __meta_kubernetes_pod_ip
            - __meta_kubernetes_pod_annotation_prometheus_kserve_io_port
          targetLabel: __address__
        - action: replace
          regex: (.+)
          sourceLabels:
            - __meta_kubernetes_pod_annotation_prometheus_kserve_io_path
          targetLabel: __metrics_path__
    - interval: 30s
      path: /metrics
      port: http-usermetric
  podTargetLabels:
    - serving.kserve.io/inferenceservice
    - component
  selector:
    matchLabels:
      serving.kserve.io/inferenceservice: iris
`;

/** What a monitor of all of a kind is; likewise. */
const ALL_GPUS = `apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  labels:
    app.kubernetes.io/managed-by: trainyard
  name: trainyard-gpus-gpu-operator
spec:
  endpoints:
    - honorLabels: true
      interval: 30s
      path: /metrics
      port: gpu-metrics
  namespaceSelector:
    matchNames:
      - gpu-operator
      - nvidia-gpu-operator
  selector:
    matchLabels:
      app: nvidia-dcgm-exporter
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  labels:
    app.kubernetes.io/managed-by: trainyard
  name: trainyard-gpus-gke-managed
spec:
  namespaceSelector:
    matchNames:
      - gke-managed-system
  podMetricsEndpoints:
    - honorLabels: true
      interval: 30s
      path: /metrics
      port: metrics
  selector:
    matchLabels:
      app.kubernetes.io/name: gke-managed-dcgm-exporter
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  labels:
    app.kubernetes.io/managed-by: trainyard
  name: trainyard-gpus-chart
spec:
  endpoints:
    - honorLabels: true
      interval: 30s
      path: /metrics
      port: metrics
  namespaceSelector:
    matchNames:
      - gpu-monitoring
  selector:
    matchLabels:
      app.kubernetes.io/name: dcgm-exporter
`;

/** Renders the page. */
export function monitoringPage(): string {
  return `<!-- Written by \`npm run docs\` (scripts/docs/monitoring-page.ts). Change that file and the lists that it reads, not this one. -->
# Monitoring

\`monitoring: true\` installs what Prometheus and Grafana need to watch a system: a ServiceMonitor or PodMonitor, alerts as a PrometheusRule, and a dashboard as a
ConfigMap. The cluster has to have the definitions of the Prometheus Operator, and Grafana its sidecar for dashboards; kube-prometheus-stack brings both.

\`\`\`ts
import { App, Chart } from 'cdk8s';
import { ModelFormat, ModelStorage, InferenceService, Predictor, ServingMode } from 'trainyard/serving';

const app = new App();
const chart = new Chart(app, 'monitoring', { namespace: 'models' });

new InferenceService(chart, 'Iris', {
  metadata: { name: 'iris' },
  mode: ServingMode.STANDARD,
  predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris/1') }),
  monitoring: { alerts: false, dashboard: false, labels: { release: 'kube-prometheus-stack' } },
});

app.synth();
\`\`\`

\`\`\`yaml
${MANIFEST}\`\`\`

| What is watched | How |
|---|---|
| training jobs and their operator | \`new TrainingOperator(..., { monitoring: true })\`: [observability](observability.md) |
| a \`RayCluster\`, \`RayJob\`, \`RayService\`, \`RayCronJob\`, \`SparkApplication\`, \`ScheduledSparkApplication\`, \`SparkConnect\`, \`InferenceService\`, \`LlmInferenceService\` | \`monitoring: true\`, or options, on the construct |
| all of a kind, once for a cluster | \`Monitoring.forRay\`, \`.forSpark\`, \`.forServing\`, \`.forGpus\` |
| what pods write | [\`LogCollection\`](#logs) |

A training job has no \`monitoring\` of its own: the operator's metrics and alerts cover all jobs that it runs. Jobs on other engines have none of these. Those on \`Engine.ray()\` and
\`Engine.spark()\` are watched by \`Monitoring.forRay\` and \`.forSpark\`; of all others kube-state-metrics knows the pods, and where the engine makes Jobs (\`Engine.job()\`, \`.jobSet()\`, \`.trainer()\`) those too, and
\`Monitoring.forGpus\` tells of idle GPUs whoever runs the pods.

\`\`\`ts
Monitoring.forGpus(chart, 'Gpus', { alerts: false, dashboard: false });
\`\`\`

\`\`\`yaml
${ALL_GPUS}\`\`\`

\`\`\`ts
Monitoring.forRay(chart, 'Ray', { labels: { release: 'kube-prometheus-stack' } });
Monitoring.forSpark(chart, 'Spark', { namespaces: ['etl'] });
Monitoring.forServing(chart, 'Serving', { errorRatio: 0.01, latency: Duration.millis(300) });
Monitoring.forGpus(chart, 'Gpus', { idleFor: Duration.hours(1) });
\`\`\`

Use one of both: who watches all of a kind and one of them gets its alerts twice.

| Option | Meaning | Default |
|---|---|---|
| \`scrape\` | whether to install monitors. Alerts and dashboards ask for labels that these set | yes |
| \`interval\` | time between two scrapes | 30 s |
| \`labels\` | labels by which a Prometheus selects monitors and rules | none |
| \`alerts\`, \`dashboard\` | whether to install them | yes |
| \`dashboardLabels\`, \`dashboardFolder\` | how Grafana finds the dashboard, where it shows it | \`grafana_dashboard: "1"\`, none |

Thresholds are options too: \`errorRatio\`, \`latency\`, \`pendingFor\` and so on, each with the construct that it belongs to.

## Ray

${alertTable(RAY)}

Ray's pods are scraped on their port \`metrics\`, and the autoscaler and dashboard on \`as-metrics\` (44217) and \`dash-metrics\` (44227) where the head declares these. A
RayJob, RayService or RayCronJob has clusters whose names begin with its own; a job on a cluster that is there already has nothing to watch. Series of the KubeRay operator
come with \`Monitoring.forRay\`.

## Spark

${alertTable(SPARK)}

\`monitoring: true\` switches Spark's own pages on (\`spark.ui.prometheus.enabled\`), and the driver is scraped at \`/metrics/executors/prometheus\` of its UI. With
\`monitoring: SparkMonitoring.servlet()\` the pages are there and nothing is installed; \`monitoringObjects\` says what. The JMX exporter has other names than these alerts
ask for. The last ${alertsOf(SPARK.groups.slice(1)).length} are of the Spark operator, which has no series for one application: they come with \`Monitoring.forSpark\`.
A \`SparkConnect\` is scraped through its server's Service, and may be without executors: it has the other alerts.

## Model servers

${alertTable(SERVING)}

KServe's own servers count neither requests nor errors, so that \`requests\` says who does: \`RequestCounter.KNATIVE\` (the proxy beside each server, scraped here),
\`ENVOY_GATEWAY\` or \`ISTIO\` (scraped by whoever runs the gateway). A service in Knative mode is counted by Knative and one in Standard mode by Envoy Gateway unless it says
otherwise. Servers are scraped at the port of their runtime's annotation \`prometheus.kserve.io/port\`; a container of one's own sets it in \`annotations\`.

## Large language models

${alertTable(LLM)}

An \`LlmInferenceService\` is watched by vLLM's own numbers; its options are \`errorRatio\`, \`firstTokenWithin\` and \`waitingRequests\`. The Service in front of its servers is
scraped by HTTPS, and certificates, which the controller makes, are not checked; where KServe is told to do without, by HTTP. \`Monitoring.forServing\` scrapes them too, and has the
last two alerts.

## GPUs

${alertTable(GPUS)}

| \`GpuExporter.\` | Installed by | Namespaces | Found by | Alerts that it cannot serve |
|---|---|---|---|---|
${EXPORTERS.map(exporterRow).join('\n')}

\`exporter\` says which installation of NVIDIA's DCGM exporter the cluster has. By default it is that of the \`KubeflowPlatform\` that the app already has: the GPU operator or the
chart if the platform has one of these components, and GKE's own on GKE otherwise. In an app without a platform there is a monitor for each of the three, so the one that exists is found.
Alerts and panels that ask for metrics which the chosen exporter does not have are left out.

- **GKE** runs its exporter on clusters whose metrics include \`DCGM\` ([\`GkeCluster\`](../platform/stacks.md) enables it), without a Service: a PodMonitor finds it. XID errors are not in
  its metrics; GKE writes them to Cloud Logging. Google Cloud Managed Service for Prometheus scrapes it without a monitor: use \`scrape: false\` there.
- **One exporter per node.** Two compete for the profiling counters of the GPUs. To use the chart or the GPU operator on GKE, disable GKE's own (\`managedGpuMetrics: false\`
  of \`GkeCluster\`, or \`gcloud container clusters update --monitoring\` with a list without \`DCGM\`). The catalogue has the values that the chart needs there.

Labels of the exporter are honoured. A pod whose labels are honoured can forge every series, so monitors look only into \`exporterNamespaces\` (by default those of the table), in
which nobody else may create pods. \`scrape: false\` leaves that to others: alerts understand \`exported_pod\` as well, from the same namespaces. Idle GPUs of training jobs
are an alert of the operator too, and [\`idle\`](../jobs/hung-and-sick-jobs.md#idle) suspends such a job; both accept series from these namespaces, or those of \`gpuExporterNamespaces\`.

## Logs

\`LogCollection\` has the values of two charts, for cdk8s' \`Helm\` or for files of values:

\`\`\`ts
const fluentBit = LogCollection.fluentBitValues({ lokiUrl: 'http://loki-gateway.logging', namespaces: ['ml'] });
const loki = LogCollection.lokiValues({ retention: Duration.days(30), bucket: { kind: LokiBucketKind.GCS, name: 'logs' } });
// Flux and Argo CD take values from ConfigMaps.
new ConfigMap(chart, 'FluentBit', { data: { 'values.yaml': Yaml.stringify(fluentBit) } });
new ConfigMap(chart, 'Loki', { data: { 'values.yaml': Yaml.stringify(loki) } });
\`\`\`

Fluent Bit (chart \`fluent-bit\` of Fluent) reads the pods of training jobs on every engine, of jobs of other tools on the same systems, and of Ray, Spark and model servers, on every
node. Loki (chart \`loki\` of grafana-community/helm-charts, versions 6.55 to 18.11) finds their lines by these labels, where a pod has them:

- \`namespace\`, \`pod\`, \`container\`; \`app\` is the pod's \`app.kubernetes.io/name\`, which is the name of an LLMInferenceService
- \`job_name\` and \`role\` of jobs of Trainyard, whatever the engine
- \`job_set\` (TrainJobs are JobSets), \`kubeflow_job\` of training-operator v1, \`volcano_job\`, \`leader_worker_set\`
- \`ray_cluster\`, \`ray_node_type\`, and \`ray_job\` of the pod that submits a RayJob
- \`spark_application\`, \`spark_connect\`, \`spark_role\`; \`inference_service\`

    {namespace="ml", job_name="net", role="worker"} |= "loss"

## What is known of the metrics

${sourceTable([...RAY_SOURCES, ...SPARK_SOURCES, ...SERVING_SOURCES, VLLM_HTTP, DCGM])}

## How it is tested

Every name and label in an alert or dashboard is one of the operator's registry or of the lists above; Spark's are also read from a running Spark
(\`npm run test:frameworks\`). \`promtool check rules\` takes all rules; for each alert \`promtool test
rules\` runs two stories: one in which it fires, with its texts, and one that looks like it, in which it does not. Dashboards are literals of the types that Grafana publishes its
schema as (\`@grafana/schema\`), and compile. Monitors and rules are accepted by a real API server with the definitions of the Prometheus Operator. \`npm run promtool:install\`
puts promtool into the cache, from Debian's package \`prometheus\`; elsewhere it is taken from the \`PATH\` or from \`TRAINYARD_PROMTOOL\`, and without it these tests are skipped
and say so.

The charts of Fluent Bit and Loki were rendered with these values, and Fluent Bit 5.1 and Loki 3.7.6 were run with the configurations that came of them, beside a real API server with
pods of each system: every line arrived once and with its labels, also the first lines of pods that started earlier than Fluent Bit, those of an outage of Loki, and those after a restart of
Fluent Bit. This was done by hand on 2026-11-29; the project's tests do not run them. The output to Elasticsearch was only checked by Fluent Bit's dry run.
`;
}

function alertTable({ groups }: MonitoredSystem): string {
  return ['| Alert | Severity | After | Says |', '|---|---|---|---|', ...alertsOf(groups).map(({ alert, severity, for: after, summary }) => (
    `| \`${alert}\` | ${severity} | ${after ?? 'at once'} | ${plain(summary)} |`))].join('\n');
}

function sourceTable(sources: readonly MetricSource[]): string {
  return ['| Program | Metrics that are asked for |', '|---|---|', ...sources.map(({ program, url, metrics }) => (
    `| [${program}](${url}) | ${metrics.map(({ name }) => `\`${name}\``).join(', ')} |`))].join('\n');
}

/** A text of an alert for people who know no templates. */
function plain(text: string): string {
  return text.replace(/{{ or \$labels\.\w+ \$labels\.(\w+) }}/g, '*$1*').replace(/{{ \$labels\.(\w+) }}/g, '*$1*').replace(/{{ \$value[^}]*}}/g, 'N');
}
