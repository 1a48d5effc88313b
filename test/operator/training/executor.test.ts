/** The Secret with the keys of an MPI job, which the operator may create and not look at. */
import { FakeApiServer } from '../runtime/support/fake-api-server';
import { makeJob } from './support/builders';
import { ATTEMPT_LABEL } from '../../../src/model/labels';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../src/operator/runtime/kube-object';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { PODS } from '../../../src/operator/runtime/resource-kind';
import { Store } from '../../../src/operator/runtime/watch/store';
import { addressBooks } from '../../../src/operator/training/addresses';
import { Executor, type Execution } from '../../../src/operator/training/executor';
import { resolveOnce } from '../../../src/operator/training/plan/resolve-once';
import { POD_INDEXES, trimPod, type PodObject, type TrainingJobObject } from '../../../src/operator/training/resources';

const JOB = {
  apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { namespace: 'ml', name: 'net', uid: 'job-1' }, spec: makeJob().mpi(2).build().spec,
} as TrainingJobObject;
const REPLICAS = resolveOnce('net', JOB.spec).resolved!.replicas;

let server: FakeApiServer;
let client: KubeClient;
let pods: Store<PodObject>;
let executor: Executor;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  pods = new Store<PodObject>({ transform: trimPod, indexes: POD_INDEXES });
  pods.commitList(pods.beginList(), [], '0');
  executor = new Executor(client, { pods, services: new Store<KubeObject>() }, addressBooks('pods'), Logger.silent());
  server.faults.push(({ resource, verb }) => (resource === 'secrets' && verb !== 'create' ? { status: 403, reason: 'Forbidden' } : undefined));
});
afterEach(async () => {
  client.close();
  await server.stop();
});

/** Creates pods as the planner asks for them. */
const create = async (attempt: number, replicas = REPLICAS): Promise<Execution> => executor.execute(JOB, [
  { type: 'ensureObjects' }, ...replicas.map((replica) => ({ type: 'createPod', replica, attempt }) as const),
]);
/** The Secret that each pod takes its keys from. */
const keysOf = () => server.storage.list('pods').map(({ spec }) => (spec as { volumes: { secret?: { secretName: string } }[] }).volumes
  .flatMap(({ secret }) => secret?.secretName ?? []).join(' '));
const asked = () => server.requests.filter(({ resource }) => resource === 'secrets').map(({ verb, status }) => `${verb} ${status}`);

test('the keys of a job stand in a Secret with its uid in the name, and nothing is asked about one that is there already', async () => {
  expect(await create(0, REPLICAS.slice(0, 1))).toEqual({ problems: [], errors: [] });
  expect(await create(0, REPLICAS.slice(1))).toEqual({ problems: [], errors: [] });
  expect(server.storage.list('secrets').map(({ metadata }) => metadata?.name)).toEqual(['net-mpi-ssh-auth-job-1']);
  expect(keysOf()).toEqual(REPLICAS.map(() => 'net-mpi-ssh-auth-job-1'));
  expect(asked()).toEqual(['create 201', 'create 409']);
});

test('a pod that comes to an attempt has the keys that the others have, whatever an earlier version called them', async () => {
  await create(0, REPLICAS.slice(0, 1));
  const [launcher] = server.storage.list('pods') as unknown as PodObject[];
  const old = JSON.parse(JSON.stringify(launcher).replaceAll('net-mpi-ssh-auth-job-1', 'net-mpi-ssh-auth')) as PodObject;
  await client.delete(PODS, { namespace: 'ml', name: launcher.metadata!.name! });
  pods.applyWritten(await client.create<PodObject>(PODS, { ...old, metadata: { ...old.metadata, uid: undefined, resourceVersion: undefined } }));
  await create(0, REPLICAS.slice(1));
  expect(keysOf()).toEqual(REPLICAS.map(() => 'net-mpi-ssh-auth'));
});

test('the next attempt has the keys of this job, although pods of the last one are still known', async () => {
  const old = { volumes: [{ name: 'trainyard-mpi-secret', secret: { secretName: 'net-mpi-ssh-auth' } }], containers: [] };
  pods.applyWritten(await client.create<PodObject>(PODS, {
    metadata: { namespace: 'ml', name: 'former', labels: { [ATTEMPT_LABEL]: '0' }, ownerReferences: [controllerReference(JOB)] }, spec: old,
  }));
  await create(1);
  expect(keysOf()).toEqual(['net-mpi-ssh-auth', ...REPLICAS.map(() => 'net-mpi-ssh-auth-job-1')]);
});
