/**
 * Migration between real definitions: what is read is what the API server takes for such an object, and what is written is what it takes for a job
 * and for the job's pods.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { migrateTexts } from '../../src/cli/migrate/migration';
import { OPERATOR_ENGINE } from '../../src/manifests/engines/operator';
import { engines } from '../../src/manifests/engines/registry';
import type { JsonObject } from '../../src/manifests/migrate/fields';
import { migrateObjects } from '../../src/manifests/migrate/migrate';
import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { replicasOfRole } from '../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { SAMPLES } from '../manifests/migrate/samples';
import { upstreamCrds } from '../support/upstream-definitions';
import { mustRequest, type TestObject } from './support/cluster';
import { installCrds, readYaml, removeCrd } from './support/crds';
import { createNamespace, deleteNamespace } from './support/namespace';
import { objectionsTo } from './support/submit';

/** Manifests as users write them, beside the samples of what there can be. The one that is left out has broken objects in it. */
const MANIFESTS = path.join(__dirname, '..', 'cli', 'migrate', 'manifests');
const USERS = Object.fromEntries(readdirSync(MANIFESTS).filter((file) => file.endsWith('.yaml') && file !== 'mixed.yaml')
  .map((file) => [file, readYaml(path.join(MANIFESTS, file))]));
const INPUTS: { readonly [name: string]: readonly JsonObject[] } = { ...SAMPLES, ...USERS };

/** The two systems that define an MPIJob. */
const isMpiJobV2 = (objects: readonly JsonObject[]) => objects.some(({ apiVersion }) => apiVersion === 'kubeflow.org/v2beta1');

const PRIORITY_CLASS = 'high';

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('migrate');
  await installCrds([constructTrainingJobCrd()]);
  await mustRequest('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: PRIORITY_CLASS }, value: 1 });
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'trainer' } });
});

afterAll(async () => {
  await mustRequest('DELETE', `/apis/scheduling.k8s.io/v1/priorityclasses/${PRIORITY_CLASS}`);
  await deleteNamespace(namespace);
});

/** Collections by kind; objects of a cluster stand in none of its namespaces. */
function collectionOf({ apiVersion, kind }: TestObject): string {
  const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind!.toLowerCase()}s`;
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return kind === 'ClusterTrainingRuntime' ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
}

/** What the API server says against objects. */
async function objections(objects: readonly TestObject[]): Promise<string[]> {
  return objectionsTo(objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: undefined } })), collectionOf);
}

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(Object.keys(INPUTS))('%s: what it is migrated to', async (name) => {
    const text = INPUTS[name].map((object) => stringify(object)).join('---\n');
    const { outputs: [output], report } = migrateTexts([{ name: 'sample.yaml', text }], { engine: OPERATOR_ENGINE, form: 'yaml' });
    expect(report.flatMap(({ broken }) => broken)).toEqual([]);
    const objects = parseAllDocuments(output.text).map((document) => document.toJS() as TestObject);
    expect(objects.map(({ kind }) => kind)).toContain('MLTrainingJob');
    expect(await objections(objects)).toEqual([]);
  });

  test.each(Object.keys(SAMPLES))('%s: the pods of the job', async (name) => {
    const [result] = migrateObjects(SAMPLES[name]);
    if (result.outcome !== 'job') {
      throw new Error(`${name} is not a job`);
    }
    const job = resolveTrainingJob(result.job.name, result.job.spec);
    const replicas = job.roles.map((role) => replicasOfRole(job, role.name).at(-1)!);
    const pods = replicas.map((replica) => constructReplicaPod({ job, namespace, replica, attempt: 0 }) as unknown as TestObject);
    expect(await objections(pods.map((pod) => ({ ...pod, apiVersion: 'v1', kind: 'Pod' })))).toEqual([]);
  });
});

/** Systems that define the kinds; two of them define an MPIJob, of which one can be there at a time. */
const SYSTEMS = ['kubeflow-training-operator', 'kubeflow-trainer', 'jobset', 'kuberay', 'coscheduling', 'volcano', 'spark-operator'];

describe('with the definitions of upstream systems, the API server accepts, strictly,', () => {
  beforeAll(async () => {
    await installCrds(upstreamCrds(...SYSTEMS));
  });

  // MXJob is of older releases.
  test.each(Object.keys(INPUTS).filter((name) => !['MXJob', 'mx.yaml'].includes(name) && !isMpiJobV2(INPUTS[name])))('%s as it is read', async (name) => {
    expect(await objections(INPUTS[name] as unknown as TestObject[])).toEqual([]);
  });

  const others = engines().filter(({ name }) => name !== OPERATOR_ENGINE.name);

  test.each(others.map((engine) => [engine.name, engine] as const))('all inputs as %s runs them', async (_name, engine) => {
    let written = 0;
    for (const objects of Object.values(INPUTS)) {
      const text = objects.map((object) => stringify(object)).join('---\n');
      for (const output of migrateTexts([{ name: 'sample.yaml', text }], { engine, form: 'yaml' }).outputs) {
        written++;
        expect(await objections(parseAllDocuments(output.text).map((document) => document.toJS() as TestObject))).toEqual([]);
      }
    }
    expect(written).toBeGreaterThan(2);
  });

  // Last: the same definition has only one system's versions at a time.
  test.each(Object.keys(INPUTS).filter((name) => isMpiJobV2(INPUTS[name])))('%s as it is read', async (name) => {
    await removeCrd('mpijobs.kubeflow.org', 'v1');
    await installCrds(upstreamCrds('mpi-operator'));
    expect(await objections(INPUTS[name] as unknown as TestObject[])).toEqual([]);
    await removeCrd('mpijobs.kubeflow.org', 'v2beta1');
  });
});
