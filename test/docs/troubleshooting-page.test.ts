/** docs/troubleshooting.md shows what `trainyard explain` prints for each symptom. `TRAINYARD_RECORD_DOCS=1` writes it into the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './support/named-tests';
import { ago, condition, event, job, node, pod, queue, running, snapshot, unschedulable } from '../cli/explain/snapshots';
import { diagnose } from '../../src/cli/explain/job/diagnose';
import { diagnosisLines } from '../../src/cli/explain/job/output';
import type { JobSnapshot } from '../../src/cli/explain/job/snapshot';
import { painter } from '../../src/local/output/colours';

const PAGE = path.join(ROOT, 'docs', 'troubleshooting.md');

const waiting = (reason: string, message: string) => ({ state: { waiting: { reason, message } } });
const failure = (exitCode: number, reason: string, logTail: string) => (
  { role: 'worker', index: 1, rank: 1, pod: 'train-worker-1', node: 'node-7', container: 'training', exitCode, reason, logTail, attempt: 2, time: ago(10) });
const restarting = (lastFailure: object) => job({}, { phase: 'Restarting', lastFailure, restarts: 2, attempt: 3, nextRetryTime: ago(-20) });

/** Jobs in trouble, by the heading of the page. */
const SYMPTOMS: { readonly [heading: string]: Partial<JobSnapshot> } = {
  'The job stays Pending: no node fits': {
    pods: [unschedulable('train-worker-0', '0/2 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 1 Insufficient nvidia.com/gpu.')],
    nodes: [node('a', 'True', { 'nvidia.com/gpu': '4', 'memory': '128Gi' }), node('b', 'True', { memory: '32Gi' })],
  },
  'The job waits in a queue': {
    job: job({ scheduling: { queueName: 'research' } }, {
      queue: { name: 'research', admitted: false, position: 3 }, conditions: [condition('Created', 'True', 'JobCreated'), condition('Admitted', 'False', 'Pending')],
    }),
    queue: queue(),
  },
  'Nothing happens: the job has no status': { job: { ...job(), status: undefined }, operator: { deployments: [], pods: [], leases: [] } },
  'The image cannot be pulled': {
    pods: [pod('train-worker-0', { node: 'a', container: waiting('ImagePullBackOff', 'Back-off pulling image "registry.example/train:1"') })],
    events: [event({ uid: 'train-worker-0-uid' }, 'Failed', 'Failed to pull image "registry.example/train:1": manifest unknown: not found')],
  },
  'A Secret or ConfigMap is missing': { pods: [pod('train-worker-0', { node: 'a', container: waiting('CreateContainerConfigError', 'secret "hub" not found') })] },
  'The job restarts': { job: restarting(failure(1, 'Error', 'ModuleNotFoundError: No module named \'torchvision\'')) },
  'A replica is OOM-killed': { job: restarting({ ...failure(137, 'OOMKilled', 'loading shard 7'), signal: 'SIGKILL' }) },
  'The job hangs': { job: job({}, { phase: 'Failed', conditions: [condition('Failed', 'True', 'Stalled', 'no progress for 600 s')] }) },
  'A node was lost': { job: job({}, { phase: 'Restarting' }), pods: [running('train-worker-0', 'node-7')], nodes: [node('node-7', 'Unknown')] },
  'The job is suspended': {
    job: job({ suspend: true }, { phase: 'Suspended', conditions: [condition('Suspended', 'True', 'JobSuspended')] }, {
      managedFields: [{ manager: 'kubectl-edit', time: ago(120), fieldsV1: { 'f:spec': { 'f:suspend': {} } } }],
    }),
  },
  'The namespace rejects the pods': {
    job: job({}, { conditions: [condition('Created', 'False', 'Forbidden', 'pods "train-worker-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true')] }),
  },
};

function printed(shown: Partial<JobSnapshot>): string {
  return `$ trainyard explain train\n${diagnosisLines(diagnose(snapshot(shown)), painter(false)).join('\n')}\n`;
}

test.each(Object.keys(SYMPTOMS))('%s', (heading) => {
  const page = readFileSync(PAGE, 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  const [, shown] = /^```text\n([\s\S]*?)^```$/m.exec(section ?? '') ?? [];
  const expected = printed(SYMPTOMS[heading]);
  if (process.env.TRAINYARD_RECORD_DOCS && section !== undefined && shown !== undefined) {
    writeFileSync(PAGE, page.replace(section, () => section.replace(`\`\`\`text\n${shown}`, () => `\`\`\`text\n${expected}`)));
  } else {
    expect(shown).toBe(expected);
  }
});

test('each block of the page is one of these', () => {
  expect(readFileSync(PAGE, 'utf8').match(/^```text$/gm)).toHaveLength(Object.keys(SYMPTOMS).length);
});
