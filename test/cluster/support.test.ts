import { apiRequest } from '../../src/local/control-plane';
import { clusterAccess, eventually, mustRequest } from './support/cluster';
import { installCrds } from './support/crds';
import { createNamespace, deleteNamespace, withNamespace } from './support/namespace';

const crd = (schema: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.trainyard.dev' },
  spec: {
    group: 'test.trainyard.dev',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

describe('the shared control plane', () => {
  test('takes a CRD and serves it at once, also a second time', async () => {
    const schema = { type: 'object', properties: { size: { type: 'integer' } } };
    expect(await installCrds([crd(schema)])).toEqual([]);
    expect(await installCrds([crd(schema)])).toEqual([]);
    await withNamespace(async (namespace) => {
      const widgets = `/apis/test.trainyard.dev/v1/namespaces/${namespace}/widgets`;
      const widget = (size: unknown) => ({ apiVersion: 'test.trainyard.dev/v1', kind: 'Widget', metadata: { name: 'w' }, size });
      expect((await mustRequest('POST', widgets, widget(1))).body.size).toBe(1);
      await expect(mustRequest('POST', widgets, { ...widget('big'), metadata: { name: 'bad' } })).rejects.toThrow(/answered 422: .*size.*must be.*integer/);
    });
    await expect(installCrds([crd({ type: 'object', properties: { size: {} } })])).rejects.toThrow(/properties\[size\]\.type: Required value/);
  });

  test('collects what a deleted namespace and a deleted owner leave', async () => {
    const namespace = await createNamespace();
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    const owner = (await mustRequest('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } })).body;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await mustRequest('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences } });
    const isGone = (path: string) => async () => (await apiRequest(clusterAccess(), 'GET', path)).status === 404;

    await mustRequest('DELETE', `${configMaps}/owner`);
    await eventually('the owned object to be gone', isGone(`${configMaps}/owned`));

    await deleteNamespace(namespace);
    await eventually('the namespace to be gone', isGone(`/api/v1/namespaces/${namespace}`));
  });
});
