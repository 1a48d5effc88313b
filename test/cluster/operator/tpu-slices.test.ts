import { eventually } from '../support/cluster';
import { describeOperator } from '../support/operator-suite';

const suite = describeOperator();

const VARIABLES = ['TPU_WORKER_ID', 'TPU_WORKER_HOSTNAMES', 'MEGASCALE_COORDINATOR_ADDRESS', 'MEGASCALE_NUM_SLICES', 'MEGASCALE_SLICE_ID'] as const;

interface TpuPod {
  readonly metadata: { readonly labels: { readonly [name: string]: string } };
  readonly spec: {
    readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[];
    readonly affinity: object;
  };
}

test('pods on two TPU slices know their slice and its hosts, and go to one node pool a slice', async () => {
  const { jobs, api, namespace } = suite;
  await jobs.create('slices', {
    framework: 'jax',
    replicas: 8,
    resources: { tpu: 4 },
    scheduling: {
      nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice', 'cloud.google.com/gke-tpu-topology': '4x4' },
    },
  });
  const pods = await eventually('the pods of the job', async () => {
    const found = await api.list('pods', namespace, 'job=slices');
    return found.length === 8 ? found as unknown as TpuPod[] : undefined;
  });
  const indexOf = ({ metadata }: TpuPod) => Number(metadata.labels['ml.collabnix.io/replica-index']);
  const seen = [...pods].sort((one, other) => indexOf(one) - indexOf(other)).map((pod) => ({
    env: Object.fromEntries(VARIABLES.map((name) => [name, pod.spec.containers[0].env.find((entry) => entry.name === name)?.value])),
    slice: pod.metadata.labels['ml.collabnix.io/tpu-slice'],
    affinity: pod.spec.affinity,
  }));
  expect(seen.map(({ env }) => env.TPU_WORKER_ID)).toEqual(['0', '1', '2', '3', '0', '1', '2', '3']);
  expect(seen.map(({ env }) => env.MEGASCALE_SLICE_ID)).toEqual(['0', '0', '0', '0', '1', '1', '1', '1']);
  expect(new Set(seen.map(({ env }) => `${env.MEGASCALE_NUM_SLICES} ${env.MEGASCALE_COORDINATOR_ADDRESS}`))).toEqual(new Set(['2 slices-worker-0.slices']));
  expect([...new Set(seen.map(({ env }) => env.TPU_WORKER_HOSTNAMES))]).toEqual([0, 4].map((first) => (
    [0, 1, 2, 3].map((index) => `slices-worker-${first + index}.slices`).join(','))));
  expect(new Set(seen.map(({ slice }) => slice)).size).toBe(2);
  seen.forEach(({ slice, affinity }) => expect(affinity).toMatchObject({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { 'ml.collabnix.io/tpu-slice': slice } }, topologyKey: 'cloud.google.com/gke-nodepool' },
    ] },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'cloud.google.com/gke-nodepool' }] },
  }));
});
