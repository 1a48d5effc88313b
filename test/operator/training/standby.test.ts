/** What a replica that is not the leader does. */
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { readConfig } from '../../../src/operator/training/config';
import { runOperator } from '../../../src/operator/training/operator';
import { eventually } from '../runtime/support/eventually';
import { FakeApiServer } from '../runtime/support/fake-api-server';

const LEASES = 'leases.coordination.k8s.io';

let server: FakeApiServer;

beforeEach(async () => { server = await FakeApiServer.start(); });
afterEach(async () => server.stop());

test('a standby looks at the Lease of the silent leader\'s node before it takes over', async () => {
  server.storage.create(LEASES, 'sys', {
    apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'sys', name: 'trainyard-operator' },
    spec: { holderIdentity: 'operator-0', leaseDurationSeconds: 2, renewTime: '2030-01-01T00:00:00.000000Z', leaseTransitions: 0 },
  });
  server.storage.create('pods', 'sys', { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'sys', name: 'operator-0' }, spec: { nodeName: 'node-0' } });
  server.storage.create(LEASES, 'kube-node-lease', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'kube-node-lease', name: 'node-0' } });
  const stop = new AbortController();
  const client = new KubeClient({ connection: server.connection() });
  const config = readConfig({ POD_NAMESPACE: 'sys', POD_NAME: 'operator-1', LEASE_SECONDS: '2', HEALTH_PORT: '0', HEALTH_HOST: '127.0.0.1' });
  const running = runOperator({
    client, config, logger: Logger.silent(), signal: stop.signal, onLeadershipLost: (reason) => { throw new Error(reason); },
  });

  const takesOver = () => server.requests.findIndex(({ verb, resource, namespace }) => verb === 'update' && resource === LEASES && namespace === 'sys');
  await eventually('the standby takes over', () => takesOver() >= 0);
  const looks = server.requests.findIndex(({ verb, resource, namespace, name }) => (
    verb === 'get' && resource === LEASES && namespace === 'kube-node-lease' && name === 'node-0'));
  expect(looks).toBeGreaterThanOrEqual(0);
  expect(looks).toBeLessThan(takesOver());
  stop.abort();
  await running;
  client.close();
});
