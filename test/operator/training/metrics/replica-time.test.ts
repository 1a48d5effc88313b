import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { keptSpec } from '../../../../src/operator/training/kept-spec';
import { ReplicaTime, sizeOf } from '../../../../src/operator/training/metrics/replica-time';
import { resolveOnce } from '../../../../src/operator/training/plan/resolve-once';
import type { TrainingJobObject } from '../../../../src/operator/training/resources';

const LABELS = {};

/** A running job with four GPUs, and so many kilobytes of variables. */
function job(kilobytes: number): TrainingJobObject {
  const env = Array.from({ length: kilobytes }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) }));
  const spec: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 2, resources: { gpu: 2 }, env };
  return { metadata: { name: 'net', uid: `u${kilobytes}` }, spec: keptSpec(spec), status: { phase: 'Running', replicas: 2 } };
}

test('the GPUs of an ordinary job are known at once', () => {
  expect(sizeOf(job(1))).toEqual({ replicas: 2, gpus: 4 });
});

test('the spec of a large job is not read for its GPUs, and they are counted from its first pass on', () => {
  const large = job(400);
  const times = new ReplicaTime();
  times.look(large, LABELS, 0);
  times.look(large, LABELS, 1000);
  expect(times.takeSums()).toEqual([expect.objectContaining({ state: 'running', replicaSeconds: 2, gpuSeconds: 0 })]);
  resolveOnce('net', large.spec);
  times.look(large, LABELS, 1000);
  // Others are looked at in between.
  resolveOnce('other', job(450).spec);
  times.look(large, LABELS, 2000);
  expect(times.takeSums()).toEqual([expect.objectContaining({ state: 'running', replicaSeconds: 2, gpuSeconds: 4 })]);
});
