/** TPU slices on every engine: who is told what, how a JobSet makes slices of child Jobs, and who refuses several of them. */
import { spawnSync } from 'node:child_process';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import { engines } from '../../../src/manifests/engines/registry';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const SPEC: TrainingJobSpec = {
  framework: 'jax', image: 'image', replicas: 4, command: ['python', 'train.py'], resources: { tpu: 4, memory: '100Gi', cpu: '8' },
  scheduling: { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice', 'cloud.google.com/gke-tpu-topology': '4x4' } },
};
const TWO: TrainingJobSpec = { ...SPEC, replicas: 8 };
const EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

function environments(engine: EngineDefinition, spec: TrainingJobSpec): { readonly [name: string]: string | undefined }[] {
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  return engine.environments({ name: 'net', spec }).map(({ env }) => Object.fromEntries(env.map(({ name, value }) => [name, value])));
}

describe.each(engines().map((engine) => [engine.name, engine] as const))('hosts of TPU slices on %s', (name, engine) => {
  test('know their number in one slice, and the hosts of it', () => {
    const found = environments(engine, SPEC);
    expect(found.map((env) => env.TPU_WORKER_ID)).toEqual(['0', '1', '2', '3']);
    expect(new Set(found.map((env) => env.TPU_WORKER_HOSTNAMES)).size).toBe(1);
    expect(new Set(found[0].TPU_WORKER_HOSTNAMES!.split(',')).size).toBe(4);
    expect(found[0].MEGASCALE_NUM_SLICES).toBeUndefined();
  });

  test('are kept together', () => {
    const text = JSON.stringify(engine.render({ name: 'net', namespace: 'team', spec: SPEC }).job);
    const companions = JSON.stringify(engine.render({ name: 'net', namespace: 'team', spec: SPEC }).companions);
    // The operator makes pods of the job; see slice-placement.test.ts.
    expect(name === 'operator' || `${text}${companions}`.includes('cloud.google.com/gke-nodepool')).toBe(true);
  });

  test('of two slices know which is theirs, or are refused', () => {
    if (engine.hasSlices) {
      const found = environments(engine, TWO);
      expect(found.map((env) => env.TPU_WORKER_ID).join()).toBe('0,1,2,3,0,1,2,3');
      expect(found.map((env) => env.MEGASCALE_SLICE_ID).join()).toBe('0,0,0,0,1,1,1,1');
      expect(found.map((env) => env.RANK).join()).toBe('0,1,2,3,4,5,6,7');
      expect(new Set(found.map((env) => env.TPU_WORKER_HOSTNAMES)).size).toBe(2);
      expect(new Set(found.map((env) => env.MEGASCALE_COORDINATOR_ADDRESS))).toEqual(new Set([found[0].TPU_WORKER_HOSTNAMES!.split(',')[0]]));
    } else {
      expect(validateForEngine(engine, 'net', TWO)).toEqual([{
        path: 'spec.replicas',
        value: 8,
        message: expect.stringMatching(/^are the hosts of 2 TPU slices of 4x4, .*Use 4 for one slice, or choose the Trainyard operator or JobSet\.$/) as string,
      }]);
    }
  });
});

describe('a JobSet', () => {
  const jobOf = (spec: TrainingJobSpec, engine = jobSetEngine()): Rendered => engine.render({ name: 'net', namespace: 'team', spec }).job;

  test('has a child Job for each slice, on a node pool of its own', () => {
    const [worker] = jobOf(TWO).spec.replicatedJobs;
    expect(worker).toMatchObject({
      name: 'worker', replicas: 2,
      template: { metadata: { annotations: { [EXCLUSIVE]: 'cloud.google.com/gke-nodepool' } }, spec: { completions: 4, parallelism: 4 } },
    });
    expect(jobOf(SPEC).spec.replicatedJobs[0]).toMatchObject({
      replicas: 1, template: { metadata: { annotations: { [EXCLUSIVE]: 'cloud.google.com/gke-nodepool' } }, spec: { completions: 4, parallelism: 4 } },
    });
  });

  test('needs no shell for one slice', () => {
    expect(jobOf(SPEC).spec.replicatedJobs[0].template.spec.template.spec.containers[0].command).toEqual(['python', 'train.py']);
  });

  test('tells the pods of several slices by a shell what they are, as environments say', () => {
    const expected = environments(jobSetEngine(), TWO);
    const [{ command, env }] = jobOf(TWO).spec.replicatedJobs[0].template.spec.template.spec.containers;
    expect(env.map(({ name }: Rendered) => name)).toEqual(expect.arrayContaining(['JOBSET_JOB_INDEX', 'JOB_COMPLETION_INDEX']));
    for (const [index, meant] of expected.entries()) {
      const given = { JOBSET_JOB_INDEX: String(Math.floor(index / 4)), JOB_COMPLETION_INDEX: String(index % 4) };
      const script = (command as string[]).slice(0, 4).map((word) => word.replaceAll('$$', '$'));
      const { stdout } = spawnSync(script[0], [...script.slice(1), 'env'], { env: { PATH: process.env.PATH, ...given }, encoding: 'utf8' });
      const seen = Object.fromEntries(stdout.trim().split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
      for (const name of ['RANK', 'JAX_PROCESS_ID', 'TPU_WORKER_ID', 'TPU_WORKER_HOSTNAMES', 'MEGASCALE_SLICE_ID']) {
        expect([name, seen[name]]).toEqual([name, meant[name]]);
      }
      expect(meant).toMatchObject(given);
    }
  });

  test('keeps an exclusive topology of its settings', () => {
    const job = jobOf(TWO, jobSetEngine({ exclusiveTopology: 'rack' }));
    expect(job.metadata.annotations).toEqual({ [EXCLUSIVE]: 'rack' });
    expect(job.spec.replicatedJobs[0].template.metadata.annotations).toBeUndefined();
  });

  test('refuses a slice of several roles, which would be on several node pools', () => {
    expect(validateForEngine(jobSetEngine(), 'net', { ...SPEC, framework: 'pytorch' })).toMatchObject([
      { path: 'spec.framework', value: ['master', 'worker'], message: expect.stringContaining('are together the hosts of TPU slices (4x4, 4 hosts each)') },
    ]);
  });

  test('refuses to tell apart replicas of slices that are made alike', () => {
    expect(validateForEngine(jobSetEngine(), 'net', { ...TWO, runPolicy: { successPolicy: 'Coordinator' } })).toMatchObject([
      { path: 'spec.runPolicy.successPolicy', value: 'Coordinator' },
    ]);
    expect(validateForEngine(jobSetEngine(), 'net', { ...SPEC, runPolicy: { successPolicy: 'Coordinator' } })).toEqual([]);
  });
});

test('training-operator v1 refuses a slice of a master and workers, whose numbers no template can say', () => {
  const v1 = engines().find(({ name }) => name === 'training-operator-v1')!;
  expect(validateForEngine(v1, 'net', { ...SPEC, framework: 'pytorch' })).toMatchObject([
    { path: 'spec.framework', value: 'pytorch', message: expect.stringContaining('cannot pass each host its number (TPU_WORKER_ID)') },
  ]);
});
