/**
 * The operator's lease has places of its own in the API server (API Priority and Fairness), which says in the headers of an answer where the request
 * has waited.
 */
import fs from 'node:fs';
import https from 'node:https';
import { constructOperatorFlowSchema } from '../../../src/manifests/operator/access';
import { OPERATOR_NAME } from '../../../src/manifests/operator/settings';
import { clusterAccess, eventually } from '../support/cluster';
import { installOperator, startOperator, type Installation } from '../support/operator';
import { TestApi } from '../support/test-api';

let api: TestApi;
let installation: Installation;

beforeEach(async () => {
  api = new TestApi(clusterAccess());
  installation = await installOperator(api, await api.createNamespace('operator'));
});
afterEach(async () => {
  await api.remove('namespaces', undefined, installation.namespace);
  installation.removeFiles();
});

/** UID of the level that a request of the operator's ServiceAccount has waited in. */
async function levelOf(path: string): Promise<string> {
  const { users: [{ user: { token } }] } = JSON.parse(fs.readFileSync(installation.kubeconfig, 'utf8'));
  const { url, ca } = api.access;
  return new Promise((resolve, reject) => {
    https.get(`${url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      expect(response.statusCode).toBe(200);
      resolve(response.headers['x-kubernetes-pf-prioritylevel-uid'] as string);
    }).once('error', reject);
  });
}

const uidOf = async (level: string) => (await api.get('prioritylevelconfigurations', undefined, level)).metadata.uid as string;

test('renewals of the lease wait with those of other leaders, and not behind what else the operator asks for', async () => {
  const operator = startOperator(installation);
  try {
    await operator.logs('controller started');
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${installation.namespace}/leases/${OPERATOR_NAME}`;
    const leaders = await uidOf('leader-election');
    // The server takes a FlowSchema up a moment after it was written.
    await eventually('the lease to have the places of leaders', async () => await levelOf(lease) === leaders);
    expect(await levelOf('/api/v1/pods?limit=1')).toBe(await uidOf('workload-low'));
    const { name } = constructOperatorFlowSchema(installation.namespace).metadata;
    const { status: { conditions } } = await api.get('flowschemas', undefined, name);
    expect(conditions).toEqual([expect.objectContaining({ type: 'Dangling', status: 'False' })]);

    await api.remove('flowschemas', undefined, name);
    await eventually('the lease to wait with all else without it', async () => await levelOf(lease) === await uidOf('workload-low'));
    expect(operator.complaints()).toEqual([]);
  } finally {
    await operator.stop();
  }
});
