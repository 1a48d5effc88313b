/** docs/errors.md: what `trainyard doctor` and `trainyard explain` report, by its name. */
import { namedFindings, type NamedFinding } from './message-texts';

function cell(texts: readonly string[]): string {
  return texts.join('<br>').replaceAll('|', '\\|').replace(/<(?!br>)/g, '&lt;').replaceAll('*', '\\*');
}

function table(findings: readonly NamedFinding[], command: string): string {
  return ['| Id | What it says | Fix |', '|---|---|---|',
    ...findings.map(({ id, what, fix }) => `| <a id="${command}-${id}"></a>\`${id}\` | ${cell(what)} | ${cell(fix)} |`)].join('\n');
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
| a reason: \`BackoffLimitExceeded\` | conditions, \`status.lastFailure\`, Kubernetes events | [reasons](events.md) |
| no id | synth, \`trainyard validate\` | the message: it names the field, the rule and the fix |

[Troubleshooting](troubleshooting.md) starts from symptoms instead.

## trainyard doctor

The fix is a command that \`doctor\` prints for your cluster.

${table(namedFindings('src/cli/doctor/checks').map((finding) => ({ ...finding, fix: finding.fix.length > 0 ? finding.fix : ['the printed command'] })), 'doctor')}

## trainyard explain

A failed replica is reported by its reason: \`OOMKilled\`, \`Evicted\`, \`Error\` or a [reason of the operator](events.md).

${table(namedFindings('src/cli/explain/job/rules'), 'explain')}
`;
}
