/** Where pods of TPU slices may go. */
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';

const SPEC: TrainingJobSpec = {
  framework: 'jax', image: 'image', replicas: 8, resources: { tpu: 4 },
  scheduling: { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice', 'cloud.google.com/gke-tpu-topology': '4x4' } },
};
const POOL = 'cloud.google.com/gke-nodepool';
const SLICE = 'ml.collabnix.io/tpu-slice';

interface Terms {
  readonly requiredDuringSchedulingIgnoredDuringExecution: readonly { readonly labelSelector: object; readonly topologyKey: string }[];
}

interface Placed { readonly label?: string; readonly affinity?: { readonly podAffinity: Terms; readonly podAntiAffinity?: Terms } }

function placed(over: Partial<TrainingJobSpec> = {}, name = 'net', namespace = 'team'): Placed[] {
  const job = resolveTrainingJob(name, { ...SPEC, ...over });
  return job.replicas.map((replica) => {
    const { metadata, spec } = constructReplicaPod({ job, replica, namespace, attempt: 0 });
    return { label: metadata!.labels?.[SLICE], affinity: spec!.affinity as Placed['affinity'] };
  });
}

test('pods of a slice are kept on one node pool, and away from those of any other slice', () => {
  const pods = placed();
  const labels = pods.map(({ label }) => label!);
  expect(labels.map((label) => label.split('-')[0])).toEqual(['0', '0', '0', '0', '1', '1', '1', '1']);
  expect(new Set(labels).size).toBe(2);
  pods.forEach(({ label, affinity }) => expect(affinity).toEqual({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { [SLICE]: label } }, topologyKey: POOL }] },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{
      labelSelector: { matchExpressions: [{ key: SLICE, operator: 'Exists' }, { key: SLICE, operator: 'NotIn', values: [label] }] },
      namespaceSelector: {},
      topologyKey: POOL,
    }] },
  }));
});

test('slices of other jobs and of jobs of the same name in other namespaces are others', () => {
  const [one, name, namespace] = [placed(), placed({}, 'other'), placed({}, 'net', 'research')].map(([{ label }]) => label);
  expect(new Set([one, name, namespace]).size).toBe(3);
});

test('a topology that the job asks for holds besides', () => {
  const [{ affinity }] = placed({ scheduling: { ...SPEC.scheduling, topology: { key: 'zone', mode: 'Required' } } });
  expect(affinity!.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.map(({ topologyKey }) => topologyKey)).toEqual(['zone', POOL]);
  const [preferred] = placed({ scheduling: { ...SPEC.scheduling, topology: { key: 'zone', mode: 'Preferred' } } });
  expect(preferred.affinity!.podAffinity).toMatchObject({
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: POOL }], preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }],
  });
});

test('an affinity of the template between pods is more exact', () => {
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [] };
  expect(placed({ template: { spec: { affinity: { podAffinity } } } })[0].affinity!.podAffinity).toEqual(podAffinity);
});

test('pods without slices of several hosts go where they went', () => {
  expect(placed({ resources: { gpu: 1 } })[0]).toEqual({ label: undefined, affinity: undefined });
});
