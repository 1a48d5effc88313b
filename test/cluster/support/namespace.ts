import crypto from 'node:crypto';
import { apiRequest } from '../../../src/local/control-plane';
import { clusterAccess, eventually, mustRequest } from './cluster';

/** Makes a namespace with a name of its own, ready to take pods. */
export async function createNamespace(prefix = 'test'): Promise<string> {
  const name = `${prefix}-${crypto.randomBytes(4).toString('hex')}`;
  await mustRequest('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  // The API server refuses pods until kube-controller-manager has made this ServiceAccount.
  await eventually(`the default ServiceAccount of namespace ${name}`, async () => {
    return (await apiRequest(clusterAccess(), 'GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status === 200;
  });
  return name;
}

/** Asks for the deletion of a namespace with everything in it; the controller manager does it in the background. */
export async function deleteNamespace(name: string): Promise<void> {
  await mustRequest('DELETE', `/api/v1/namespaces/${name}`);
}

/** Runs `work` with a namespace of its own and deletes it afterwards, also after a failure. */
export async function withNamespace<T>(work: (namespace: string) => Promise<T>): Promise<T> {
  const name = await createNamespace();
  try {
    return await work(name);
  } finally {
    await deleteNamespace(name);
  }
}
