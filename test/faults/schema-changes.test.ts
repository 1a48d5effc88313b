/** The definition of MLTrainingJob changes while jobs run: it becomes older or newer than the operator, or takes no status any more. */
import { describeFaults } from './support/fault-suite';
import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { apiRequest } from '../../src/local/control-plane';
import { eventually, type TestObject } from '../cluster/support/cluster';
import type { TestJob } from '../cluster/support/training-jobs';
import { pathOf } from '../cluster/support/test-api';

const suite = describeFaults();

interface Schema {
  properties?: { [name: string]: Schema };
  required?: string[];
  [keyword: string]: unknown;
}

/** The shipped definition with another schema of the status. */
function withStatus(change: (status: Schema) => void): TestObject {
  const crd = structuredClone(constructTrainingJobCrd()) as unknown as TestObject;
  change((crd.spec.versions as { schema: { openAPIV3Schema: Schema } }[])[0].schema.openAPIV3Schema.properties!.status);
  return crd;
}

/** What the API server would store of a status, or why it would not. */
interface Trial {
  readonly code: number;
  readonly status?: { readonly [field: string]: unknown };
}

/** Replaces the definition, and waits until the server goes by it. @param isSo looks at what becomes of the status `probe` of a job */
async function install(crd: TestObject, probe: object, isSo: (trial: Trial) => boolean): Promise<void> {
  const { api, jobs, namespace } = suite;
  await jobs.create('probe', { suspend: true });
  await replaceDefinition(crd);
  await eventually('the definition to be served', async () => {
    const path = `${pathOf('mltrainingjobs', namespace, 'probe', 'status')}?dryRun=All`;
    const answer = await apiRequest<TestObject>(api.access, 'PATCH', path, { body: { status: probe }, contentType: 'application/merge-patch+json' });
    return isSo({ code: answer.status, status: answer.body.status as Trial['status'] });
  });
  await jobs.remove('probe');
}

async function replaceDefinition(crd: TestObject): Promise<void> {
  const path = pathOf('customresourcedefinitions', undefined, crd.metadata.name);
  const { metadata: { resourceVersion } } = await suite.api.send('GET', path);
  await suite.api.send('PUT', path, { ...crd, metadata: { ...crd.metadata, resourceVersion } });
}

const counts = ({ status }: TestJob) => [status?.restarts ?? 0, status?.disruptions ?? 0];
const shipped = () => constructTrainingJobCrd() as unknown as TestObject;

/** Words and a field of a release that is newer than the operator. */
const NEWER = { phase: 'Hibernating', moonPhase: 1 };

const newer = () => withStatus(({ properties }) => {
  (properties!.phase.enum as string[]).push(NEWER.phase);
  (properties!.lastRestart.properties!.cause.enum as string[]).push('Moon');
  properties!.moonPhase = { type: 'integer' };
});

afterEach(async () => replaceDefinition(shipped()));

test('a definition that is older than the operator drops fields of the status, and the jobs run all the same', async () => {
  const { jobs, fates } = suite;
  const operator = suite.start('operator');
  await suite.leads(operator);
  await jobs.create('runs', { replicas: 2 });
  await jobs.untilCondition('runs', 'Running');
  await install(withStatus(({ properties }) => {
    for (const field of ['lastRestart', 'lastFailure', 'nextRetryTime', 'selector']) {
      delete properties![field];
    }
  }), { nextRetryTime: '2026-01-01T00:00:00Z' }, ({ code, status }) => code === 200 && status?.nextRetryTime === undefined);
  fates.set('again', ({ attempt }) => (attempt === 0 ? { afterMs: 100, exitCode: 1 } : { afterMs: 500, exitCode: 0 }));
  await jobs.create('again', { replicas: 2, runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 } } });
  expect(counts(await jobs.untilCondition('again', 'Succeeded'))).toEqual([1, 0]);
  expect(counts(await jobs.get('runs'))).toEqual([0, 0]);
  expect(operator.child.running).toBe(true);
});

test('a definition that takes no status holds jobs up, and they go on where they were when it does', async () => {
  const { jobs, api, namespace } = suite;
  const operator = suite.start('operator');
  await suite.leads(operator);
  await install(withStatus((status) => {
    status.required = ['neverWritten'];
    status.properties!.neverWritten = { type: 'string' };
  }), { phase: 'Pending' }, ({ code }) => code === 422);
  await jobs.create('net', { replicas: 2 });
  await eventually('the refusal to be in the log', async () => operator.log().some((line) => JSON.stringify(line).includes('neverWritten')));
  // Not in a tight loop: its pauses grow.
  const lines = operator.log().length;
  expect(lines).toBeLessThan(200);
  await replaceDefinition(shipped());
  const job = await jobs.untilCondition('net', 'Running');
  expect([counts(job), (await api.list('pods', namespace, 'job=net')).length]).toEqual([[0, 0], 2]);
});

test('an operator that finds the status of a newer release leaves what it does not know, and runs the job on', async () => {
  const { jobs, api, namespace, fates } = suite;
  await install(newer(), NEWER, ({ status }) => status?.phase === NEWER.phase && status.moonPhase === NEWER.moonPhase);
  const first = suite.start('newer');
  await suite.leads(first);
  fates.set('net', ({ attempt }) => (attempt === 0 ? undefined : { afterMs: 300, exitCode: 0 }));
  await jobs.create('net', { replicas: 2 });
  const { status } = await jobs.untilCondition('net', 'Running');
  await first.stop();
  const time = new Date().toISOString();
  await api.patch('mltrainingjobs', namespace, 'net', {
    status: {
      ...NEWER,
      lastRestart: { ...status!.lastRestart, cause: 'Moon', reason: 'FullMoon', time },
      conditions: [...status!.conditions!, { type: 'Hibernating', status: 'True', reason: 'Moon', message: 'm', lastTransitionTime: time, observedGeneration: 1 }],
    },
  }, 'status');
  const second = suite.start('older');
  await suite.leads(second);
  await api.remove('pods', namespace, 'net-worker-0');
  const done = await jobs.untilCondition('net', 'Succeeded');
  expect([counts(done), done.status!.attempt]).toEqual([[0, 1], 1]);
  expect(second.complaints()).toEqual([]);
});
