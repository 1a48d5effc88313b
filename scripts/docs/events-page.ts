/** docs/operator/events.md, written from the list of reasons in the model. */
import { REASONS } from '../../src/model/training-job/status/reasons';

const PLACES = { event: 'event', condition: 'condition', failure: '`lastFailure`' } as const;

/** Renders the page. */
export function eventsPage(): string {
  const rows = [...REASONS].sort((one, other) => one.reason.localeCompare(other.reason)).map(({ reason, places, means }) =>
    `| <a id="${reason}"></a>\`${reason}\` | ${places.map((place) => PLACES[place]).join(', ')} | ${means.replaceAll('|', '\\|')} |`);
  return `<!-- Written by \`npm run docs\` from src/model/training-job/status/reasons.ts. Change that list, not this file. -->
# Events and reasons

The operator tells what it decides by Kubernetes events on the job (\`kubectl describe mltj NAME\`), by the conditions in its status, and by
\`status.lastFailure\`. Their reasons are part of the API: scripts and alerts may compare them; messages may change at any time.

An event is published when the status that it is about has been written, so that no event tells of something that was not decided. Events are best
effort: the same one again within ten minutes raises a count, a job has a budget of 25 and one more each five minutes, and Kubernetes forgets them after an
hour. What must not be missed is in the status.

    kubectl events --for mltrainingjob/my-job --types=Warning
    kubectl wait mltj/my-job --for=condition=Succeeded --timeout=1h
    kubectl get mltj my-job -o jsonpath='{.status.conditions[?(@.type=="Failed")].reason}'

| Reason | Where | What it says |
|---|---|---|
${rows.join('\n')}

\`lastFailure\` also has reasons of Kubernetes itself: \`OOMKilled\`, \`Evicted\`, \`ContainerCannotRun\`, \`NodeLost\` and so on.
`;
}
