import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { apiRequest } from '../../src/local/control-plane';
import { clusterAccess, eventually, mustRequest } from './support/cluster';
import { installCrds, readUpstreamCrds, readYaml } from './support/crds';
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

describe('upstream CRDs', () => {
  test('are those of TRAINYARD_CRDS, one system per folder', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-crds-'));
    fs.mkdirSync(path.join(folder, 'b-v1'));
    fs.mkdirSync(path.join(folder, 'a-v2'));
    fs.writeFileSync(path.join(folder, 'README.md'), '');
    fs.writeFileSync(path.join(folder, 'a-v2', 'two.yaml'), 'kind: A\n---\nkind: B\n');
    fs.writeFileSync(path.join(folder, 'a-v2', 'notes.txt'), '');
    try {
      const systems = readUpstreamCrds({ TRAINYARD_CRDS: folder })!;
      expect(systems).toEqual([{ system: 'a-v2', files: [path.join(folder, 'a-v2', 'two.yaml')] }, { system: 'b-v1', files: [] }]);
      expect(readYaml(systems[0].files[0])).toEqual([{ kind: 'A' }, { kind: 'B' }]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('a TRAINYARD_CRDS that does not exist is an error, not a skip', () => {
    expect(() => readUpstreamCrds({ TRAINYARD_CRDS: '/no/such/folder' })).toThrow('TRAINYARD_CRDS is "/no/such/folder", which does not exist.');
  });
});
