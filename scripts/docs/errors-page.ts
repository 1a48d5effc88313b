/** docs/errors.md: what `trainyard doctor` and `trainyard explain` report, by its name. */
import { namedFindings, type NamedFinding } from './message-texts';

/** An object that others name. */
const missing = (kind: string): NamedFinding => ({ id: `${kind}Missing`, what: [`There is no ${kind} of that name in the namespace. Create it, or correct the name.`], fix: [] });

const QUOTA: readonly NamedFinding[] = [
  { id: 'QuotaTooSmall', what: ['The job requests more than … can ever provide.'], fix: ['Request less (fewer replicas, smaller resources), use another queue, or raise the quota of the ClusterQueue.'] },
  { id: 'QuotaInUse', what: ['The job waits in the queue … for quota of ….'], fix: ['Wait until other jobs end, raise the priority of the job, or request less.'] },
];

/** Findings whose texts are put together at several places. */
const DOCTOR: readonly NamedFinding[] = [
  { id: 'ClusterUnreachable', what: ['The cluster could not be checked: it does not answer, or rejects your credentials.'], fix: ['Check the kubeconfig and its context: kubectl cluster-info.'] },
  { id: 'QueueNotFound', what: ['The namespace has no LocalQueue of that name.'], fix: [] },
  { id: 'QueueStopped', what: ['The LocalQueue or its ClusterQueue is stopped (stopPolicy).'], fix: [] },
  { id: 'QueueInactive', what: ['The ClusterQueue is not active, for example because a ResourceFlavor is missing.'], fix: [] },
  ...['Secret', 'ConfigMap', 'ServiceAccount', 'PriorityClass', 'RuntimeClass'].map(missing),
  { ...missing('object'), id: 'ReferenceMissing' },
  ...QUOTA.map(({ id, what }) => ({ id, what, fix: [] })),
];

const EXPLAIN: readonly NamedFinding[] = [
  ...QUOTA,
  { id: 'Preempted', what: ['A job of a higher priority took the quota; the job waits in the queue again.'], fix: ['Wait until other jobs end, or raise the priority of the job.'] },
  { id: 'CrashLoop', what: ['The container … of … fails and is restarted repeatedly: ….'], fix: ['The fix follows from the exit code and the last lines of the log.'] },
];

/** Findings of a folder, with some in other words. */
function findings(folder: string, others: readonly NamedFinding[]): NamedFinding[] {
  const ids = new Set(others.map(({ id }) => id));
  return [...namedFindings(folder).filter(({ id }) => !ids.has(id)), ...others].sort((one, other) => one.id.localeCompare(other.id));
}

function cell(texts: readonly string[]): string {
  return texts.join('<br>').replaceAll('|', '\\|').replace(/<(?!br>)/g, '&lt;').replaceAll('*', '\\*');
}

function table(rows: readonly NamedFinding[], command: string): string {
  return ['| Id | What it says | Fix |', '|---|---|---|',
    ...rows.map(({ id, what, fix }) => `| <a id="${command}-${id}"></a>\`${id}\` | ${cell(what)} | ${cell(fix)} |`)].join('\n');
}

/** Renders the page. */
export function errorsPage(): string {
  return `<!-- Written by \`npm run docs\` from src/cli/doctor and src/cli/explain. Change the findings there, not this file. -->
# Errors

After this page you know what a name such as \`NodeTooSmall\` means, and what to do about it. The parts that depend on your cluster are \`…\`.

| You see | In | Read |
|---|---|---|
| an id in brackets: \`[image-tag]\` | synth, [\`trainyard validate\`](cli/validate.md) | [warnings](warnings.md#all-ids) |
| a name in parentheses: \`(NodeTooSmall)\` | [\`trainyard doctor\`](cli/doctor.md) | [below](#trainyard-doctor) |
| a name in parentheses: \`(Unschedulable)\` | [\`trainyard explain\`](cli/explain.md), \`trainyard status\` | [below](#trainyard-explain), or the reasons |
| a reason: \`BackoffLimitExceeded\` | conditions, \`status.lastFailure\`, Kubernetes events | [reasons](operator/events.md) |
| no id | synth, \`trainyard validate\` | the message: it names the field, the rule and the fix |

[Troubleshooting](troubleshooting.md) starts from symptoms instead.

## trainyard doctor

The fix is a command that \`doctor\` prints for your cluster.

${table(findings('src/cli/doctor/checks', DOCTOR).map((finding) => ({ ...finding, fix: finding.fix.length > 0 ? finding.fix : ['the printed command'] })), 'doctor')}

## trainyard explain

A failed replica is reported by its reason: \`OOMKilled\`, \`Evicted\`, \`Error\` or a [reason of the operator](operator/events.md).

${table(findings('src/cli/explain/job/rules', EXPLAIN), 'explain')}
`;
}
