/** docs/operator/observability.md: the tables come from the lists that the operator is built from, so that they cannot tell anything else. */
import { alertsOf } from '../../src/model/monitoring/monitored-system';
import { DEFAULT_OPERATOR_THRESHOLDS, operatorRuleGroups } from '../../src/model/monitoring/operator/alerts';
import { JOB_FAMILIES, OPERATOR_FAMILIES, V1_FAMILIES, type Family } from '../../src/operator/training/metrics/families';
import { MAX_NAMESPACES } from '../../src/operator/training/metrics/job-groups';

/** Renders the page. */
export function observabilityPage(): string {
  const alerts = alertsOf(operatorRuleGroups(DEFAULT_OPERATOR_THRESHOLDS));
  return `<!-- Written by \`npm run docs\` (scripts/docs/observability-page.ts). Change that file and the lists that it reads, not this one. -->
# Observability

What the operator tells about jobs and about itself: the status of each job, [Kubernetes events](events.md), Prometheus metrics, traces, logs.

\`\`\`ts
new TrainingOperator(chart, 'TrainingOperator', {
  monitoring: { labels: { release: 'kube-prometheus-stack' } },
  tracing: { endpoint: 'http://collector.observability:4318', sampleRatio: 0.1 },
});
\`\`\`

| Question | Where the answer is |
|---|---|
| How is this job, why did it stop, where is its last checkpoint? | \`kubectl get mltj NAME -o yaml\`: \`status.conditions\`, \`lastFailure\`, \`lastRestart\`, \`lostSeconds\`, \`checkpoint\` |
| What happened to it, in order? | \`kubectl describe mltj NAME\` ([events](events.md)), or its trace |
| How are all jobs, how much time is lost, to what? | metrics of jobs |
| Does the operator keep up? | metrics of the operator; its log, one JSON object a line |

## Metrics

The operator serves them at \`/metrics\` on port 8081, in Prometheus' text format, with or without \`monitoring\`.

**Who may read them.** The port is plain HTTP without a login: kubelets probe it. The metrics hold counts and the names of namespaces, and no name of
a job, pod, node or user, no message and no part of a spec, which is not worth a certificate and a token for every scraper. The operator's NetworkPolicy
lets nobody read them without \`monitoring\`, and with it every namespace, because nothing says where Prometheus is. Say so (probes by the node's own kubelet
pass all the same):

\`\`\`ts
new TrainingOperator(chart, 'TrainingOperator', { monitoring: true, metricsNamespaces: ['monitoring'] });
\`\`\`

### Of jobs

${table(Object.values(JOB_FAMILIES))}

- **Each event is counted once.** Counters move when the leader has written the status that says so. The status is durable and is written once, so that neither
  a restart of the operator nor a replayed watch counts a job twice; when the answer to a write is lost, it is counted when the job is next read. What
  cannot be counted is a deletion while nobody leads. Counters start at 0 with each process, as \`rate()\` and \`increase()\` expect.
- **The label is \`job_namespace\`**, as in training-operator, because Prometheus puts the namespace of the operator on every series as \`namespace\`.
- **Cardinality is bounded.** No label names a job. The first ${MAX_NAMESPACES} namespaces have series of their own, the jobs of further ones are counted as
  \`other\`; an hour after the last job of a namespace its series go. The age of the last checkpoint is the oldest of a namespace and framework rather
  than one series for each job: ten thousand jobs would be ten thousand series to learn what \`kubectl get mltj\` tells; the alert says that
  there is such a job, the list says which.
- **They cost nothing in between.** Gauges are counted over the cache when somebody asks; ten thousand jobs take some 20 ms.

### Goodput

The part of the replicas' time that was training which was not thrown away:

    goodput = (running - rework) / (starting + running + restarting)

in seconds times replicas, or times GPUs. *Starting* lasts from the first pods of a job to all of them running, *restarting* from the decision to
restart to all of them running again, *rework* is what had been trained between the last checkpoint (or the start of the attempt, where there is none)
and the failure. Time without pods (queued, suspended) does not count. An elastic job counts with the size that it has in full. The rule
\`trainyard:job_goodput:ratio_rate1h\` records it by namespace and framework, \`trainyard:job_gpu_goodput:ratio_rate1h\` does so for GPUs.

\`trainyard_job_lost_seconds_total\` is the same loss as users see it, \`status.lostSeconds\`: rework and restart together, on the clock of the job.

### Of the operator

${table(Object.values(OPERATOR_FAMILIES))}

Beside them stand prom-client's metrics of the process: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_eventloop_lag_p99_seconds\`
and so on. Only the leader has metrics of jobs; \`trainyard_operator_leader\` says who that is. With [shards](README.md#shards), each replica has those of the jobs of its shards.

### training-operator's names

\`monitoring: { trainingOperatorNames: true }\` (\`METRICS_V1_NAMES=true\`) counts jobs by the names of Kubeflow's training-operator too, for dashboards and
alerts that exist:

${table(Object.values(V1_FAMILIES))}

## Alerts and dashboard

\`monitoring\` installs a ServiceMonitor (or PodMonitor), a PrometheusRule and a ConfigMap with a Grafana dashboard. The cluster needs the definitions of the
Prometheus Operator; Grafana loads the dashboard where its sidecar for dashboards runs. \`monitoring: true\` is all of it with the defaults. A whole program is in
[examples/monitoring](../../examples/monitoring); Ray, Spark, model servers and GPUs are watched as [monitoring](monitoring.md) says, where the rules are tested too.

| Option | Meaning | Default |
|---|---|---|
| \`scrape\` | \`SERVICE_MONITOR\`, \`POD_MONITOR\` or \`NONE\` | \`SERVICE_MONITOR\` |
| \`interval\` | time between two scrapes | 30 s |
| \`labels\` | labels by which a Prometheus selects monitors and rules | none |
| \`alerts\` | whether to install the PrometheusRule | yes |
| \`goodputTarget\` | goodput below which an alert fires | 0.8 |
| \`checkpointMaxAge\` | age from which a last checkpoint is too old | 2 h |
| \`queueMaxWait\` | time from which a job has waited too long for its pods | 4 h |
| \`gpuIdleBelowPercent\`, \`gpuIdleFor\` | use of GPUs that is none, and for how long | 5 %, 30 min |
| \`dashboard\`, \`dashboardLabels\`, \`dashboardFolder\` | the ConfigMap, how Grafana finds it, where it shows it | yes, \`grafana_dashboard: "1"\`, none |
| \`trainingOperatorNames\` | training-operator's names too | no |

| Alert | Severity | After | Says |
|---|---|---|---|
${alerts.map(({ alert, severity, for: after, summary }) => `| \`${alert}\` | ${severity} | ${after ?? 'at once'} | ${cell(summary)} |`).join('\n')}

## Traces

With \`tracing\` (or OpenTelemetry's own variable \`OTEL_EXPORTER_OTLP_ENDPOINT\`) the operator sends spans by OTLP over HTTP, as JSON. Without it nothing of
OpenTelemetry is loaded; with it the process takes about 3 MB more.

    training job                      creation ... end; outcome, reason, restarts, disruptions
      attempt 0                       which replica failed, on which node, with which exit code
        pending
        running
      attempt 1
        restarting
        running

A job is one trace, and its ids follow from the job's uid: the trace goes on when another replica of the operator becomes the leader. Spans are
sent when they are over; of a job that runs nothing is seen yet. Each pass of the operator is a trace of its own, named \`reconcile\`.
\`sampleRatio\` decides by the id of the trace, so that a job is sent whole or not at all. OpenTelemetry's other variables work as usual
(\`OTEL_EXPORTER_OTLP_HEADERS\`, \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_BSP_SCHEDULE_DELAY\`); set them with \`ApiObject.of(operator).addJsonPatch\`. A collector that is
away costs a warning in the log and the spans.

## What there is not

- Metrics of GPUs and of the training itself: NVIDIA's DCGM exporter ([watched here](monitoring.md#gpus)) and the script's own metrics (\`status.trainerStatus\`) tell those.
- A series per job. Whoever needs one finds it in kube-state-metrics' custom resource state, which reads any field of the status.
- Exact seconds of what happened while nobody led: a new leader counts time from when it leads.
`;
}

function table(families: readonly Family[]): string {
  return ['| Metric | Type | Labels | What it counts |', '|---|---|---|---|', ...families.map(({ name, type, labels, help }) =>
    `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || '-'} | ${cell(help)} |`)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('{{ $labels.', '').replaceAll(' }}', '');
}
