/** `trainyard validate --live` against a real API server: what objects name and do not bring along is asked for. */
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { clusterKubeconfig, mustRequest } from '../support/cluster';
import { createNamespace, deleteNamespace } from '../support/namespace';

const folder = temporaryFolder();
let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('validate-live');
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hub' }, stringData: { token: 'x' } });
});
afterAll(async () => deleteNamespace(namespace));

async function validate(spec: object, ...flags: string[]): Promise<Finished> {
  const file = path.join(folder, 'job.yaml');
  const job = {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'train' },
    spec: { framework: 'jax', image: 'registry.example/x:1', replicas: 2, resources: { cpu: '1' }, ...spec },
  };
  fs.writeFileSync(file, stringify(job));
  return trainyard(['validate', file, '--kubeconfig', clusterKubeconfig(), '-n', namespace, ...flags]);
}
const token = (name: string, key: string, more: object = {}) => ({ env: [{ name: 'T', valueFrom: { secretKeyRef: { name, key, ...more } } }] });

test('what is there is found, and its key', async () => {
  expect(await validate(token('hub', 'token'), '--live')).toMatchObject({ code: 0, out: '' });
});

test.each<readonly [what: string, spec: object, said: string]>([
  ['a Secret that is not there', token('hubs', 'token'), '"hubs": is not a Secret in the cluster in namespace'],
  ['a key that is not there', token('hub', 'tokne'), "\"tokne\": is not a key of Secret hub in the cluster. Did you mean 'token'?"],
  ['a claim that is not there', { checkpointPath: '/c', checkpoint: { claimName: 'runs' } }, '"runs": is not a PersistentVolumeClaim in the cluster'],
  ['a service account that is not there', { template: { spec: { serviceAccountName: 'nobody' } } }, '"nobody": is not a ServiceAccount in the cluster'],
  ['a priority class that is not there', { scheduling: { priorityClassName: 'hgih' } }, '"hgih": is not a PriorityClass in the cluster. Create it first'],
])('%s is an error', async (_what, spec, said) => {
  const { code, out } = await validate(spec, '--live');
  expect(out).toContain(said);
  expect(code).toBe(1);
  expect((await validate(spec)).code).toBe(0);
});

test('what may be missing is not asked for, and what the cluster has is not warned of', async () => {
  expect((await validate(token('nothing', 'x', { optional: true }), '--live')).code).toBe(0);
  expect(await validate({ scheduling: { priorityClassName: 'system-cluster-critical' } }, '--live')).toMatchObject({ code: 0, out: '' });
});
