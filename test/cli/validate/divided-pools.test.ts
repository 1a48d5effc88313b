/** Pods beside the node pools that they may come to: one in the same place whose GPUs are divided is told of. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { Definitions } from '../../../src/cli/crd/definitions';
import { readSources } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { temporaryFolder } from '../../local/support/temporary-folder';

const PARTITION = 'cloud.google.com/gke-gpu-partition-size';
const STRATEGY = 'cloud.google.com/gke-gpu-sharing-strategy';

const pool = (accelerator: object, labels: object = {}) => ({
  apiVersion: 'container.cnrm.cloud.google.com/v1beta1', kind: 'ContainerNodePool', metadata: { name: 'divided' },
  spec: { location: 'us-central1', clusterRef: { external: 'ml' }, nodeConfig: { labels, guestAccelerator: [accelerator] } },
});
const SHARED = pool({ type: 'nvidia-l4', count: 1, gpuSharingConfig: { gpuSharingStrategy: 'TIME_SHARING', maxSharedClientsPerGpu: 4 } });
const PARTITIONED = pool({ type: 'nvidia-h100-80gb', count: 8, gpuPartitionSize: '1g.10gb' });

const pod = (nodeSelector: object, gpus = 1) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' },
  spec: { nodeSelector, containers: [{ name: 'c', image: 'i', resources: { limits: { 'nvidia.com/gpu': gpus } } }] },
});
const job = (nodeSelector: object) => ({
  apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'train' },
  spec: { framework: 'pytorch', image: 'i', replicas: 2, resources: { gpu: 1 }, scheduling: { nodeSelector } },
});

const folder = temporaryFolder();

function told(files: readonly (readonly object[])[]): string[] {
  const names = files.map((objects, index) => {
    const file = path.join(folder, `${index}.yaml`);
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    return file;
  });
  const { diagnostics, warnings } = validateSources(readSources(names, () => ''), { engine: OPERATOR_ENGINE, definitions: Definitions.read([]) });
  return [...diagnostics, ...warnings].filter(({ rule }) => rule === 'accelerator').map(({ path: field, message }) => `${field}: ${message}`);
}

test('a pod that may come to shares is told what to select', () => {
  expect(told([[SHARED, pod({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' })]])).toEqual([
    `spec.nodeSelector['${STRATEGY}']: is not selected, and the pool divided has nvidia-l4 that 4 share: the pod may get one of those. `
    + `Select ${STRATEGY}: time-sharing, or another pool by cloud.google.com/gke-nodepool.`,
  ]);
});

test('so is a job that may come to partitions', () => {
  expect(told([[PARTITIONED, job({ 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' })]])).toEqual([
    expect.stringContaining(`spec.scheduling.nodeSelector['${PARTITION}']: is not selected, and the pool divided has partitions (1g.10gb) of nvidia-h100-80gb`),
  ]);
});

test('two shares are refused for a pod that names the pool', () => {
  expect(told([[SHARED, pod({ 'cloud.google.com/gke-nodepool': 'divided' }, 2)]])).toEqual([expect.stringContaining('is more than one share, which time-sharing never gives')]);
});

test.each<[string, object, object]>([
  ['selects its share', SHARED, { 'cloud.google.com/gke-accelerator': 'nvidia-l4', [STRATEGY]: 'time-sharing' }],
  ['selects another type', SHARED, { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' }],
  ['comes to whole GPUs', pool({ type: 'nvidia-l4', count: 1 }), { 'cloud.google.com/gke-accelerator': 'nvidia-l4' }],
  ['cannot come to a class', pool({ type: 'nvidia-l4', count: 1, gpuPartitionSize: '1g.10gb' }, { 'cloud.google.com/compute-class': 'fast' }), {}],
])('nothing is said of a pod that %s', (_what, beside, selector) => {
  expect(told([[beside, pod(selector)]])).toEqual([]);
});

test('nor of a pool that is given apart, which may be of another cluster', () => {
  const asking = pod({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' });
  expect(told([[asking], [SHARED]])).toEqual([]);
});
