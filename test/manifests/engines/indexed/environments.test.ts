/**
 * The promise of the engines that give no environment of their own: a script finds the same variables on each of them as on the operator, with the
 * same values, but for host names. Pods are made of the rendered objects as the upstream controllers make them, and host names are those of these
 * pods; a shell in front of a command is really run.
 */
import fc from 'fast-check';
import { environmentInside, PRINT_ENVIRONMENT, type Variables } from './support/container-view';
import { addressesOfPods, podsByOrdinal } from './support/replicas';
import { upstreamPods } from './support/upstream-pods';
import { jobEngine } from '../../../../src/manifests/engines/job';
import { jobSetEngine } from '../../../../src/manifests/engines/jobset';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import { volcanoEngine } from '../../../../src/manifests/engines/volcano';
import { PREFLIGHT_VARIABLE } from '../../../../src/manifests/tools/preflight-program';
import { TRAINING_CONTAINER } from '../../../../src/model/names';
import { replicaEnvironment } from '../../../../src/model/training-job/environment/environment';
import { PREFLIGHT_CONTAINER } from '../../../../src/model/training-job/preflight';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { containerEnvironment } from '../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../src/local/process/object-source';
import { validSpec } from '../../../model/training-job/arbitraries';

const ENGINES = [
  ['a plain Job', jobEngine()],
  ['a plain Job with retries of each replica', jobEngine({ retryPerReplica: true })],
  ['a JobSet', jobSetEngine({ sshSecretName: 'keys' })],
  ['a JobSet with a child Job a role', jobSetEngine({ sshSecretName: 'keys', jobPerRole: true })],
  ['a Volcano Job', volcanoEngine()],
] as const;

/** Variables that an engine adds; documented with it. */
const ADDED = /^(JOB_COMPLETION_INDEX|JOBSET_JOB_INDEX|JOBSET_JOB_GROUP_INDEX|VC_TASK_INDEX|VC_\w+_(HOSTS|NUM))$/;

function withoutAdded(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !ADDED.test(name)));
}

describe.each(ENGINES)('on %s', (_title, engine) => {
  test('every replica finds the variables that the operator would give it', async () => {
    let checked = 0;
    await fc.assert(fc.asyncProperty(validSpec, async (arbitrary) => {
      const spec: TrainingJobSpec = { ...arbitrary, command: PRINT_ENVIRONMENT };
      fc.pre(validateForEngine(engine, 'net', spec).length === 0);
      checked++;
      const job = resolveTrainingJob('net', spec);
      const rendered = engine.render({ name: 'net', spec });
      const pods = podsByOrdinal(job, upstreamPods(rendered.job));
      expect(pods.size).toBe(job.replicas.length);
      const addresses = addressesOfPods(pods);
      const environments = engine.environments({ name: 'net', spec });
      for (const replica of job.replicas) {
        const { pod } = pods.get(replica.ordinal)!;
        const expected = replicaEnvironment({ job, replica, addresses }, 0);
        const training = pod.spec.containers.find(({ name }) => name === TRAINING_CONTAINER)!;
        // Running a shell for each of sixty workers says no more than for the first and the last of each role.
        const isEdge = replica.index === 0 || !job.replicas.some((other) => other.role === replica.role && other.index > replica.index);
        const wanted = Object.fromEntries(await containerEnvironment(pod, { ...training, env: expected as [] }, new MemoryObjectSource()));
        if (isEdge) {
          expect(withoutAdded(await environmentInside(pod, training))).toEqual(wanted);
        }
        const told = environments[replica.ordinal];
        expect({ role: told.role, index: told.index }).toEqual({ role: replica.role, index: replica.index });
        expect(told.env.filter(({ name }) => !ADDED.test(name)).sort(byName)).toEqual([...expected].sort(byName));
        expect(told.pod.startsWith(pod.spec.hostname!)).toBe(true);
      }
    }), { numRuns: 120 });
    expect(checked).toBeGreaterThan(40);
  });

  test('every replica is checked before training under its own rank', async () => {
    const spec: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 4, command: PRINT_ENVIRONMENT, preflight: {} };
    const job = resolveTrainingJob('net', spec);
    const pods = podsByOrdinal(job, upstreamPods(engine.render({ name: 'net', spec }).job));
    for (const replica of job.replicas) {
      const { pod } = pods.get(replica.ordinal)!;
      const preflight = pod.spec.initContainers!.find(({ name }) => name === PREFLIGHT_CONTAINER)!;
      // The shell in front of the checks, if there is one, and not the checks.
      const command = preflight.command![3] === 'trainyard' ? [...preflight.command!.slice(0, 4), ...PRINT_ENVIRONMENT] : [...PRINT_ENVIRONMENT];
      const inside = await environmentInside(pod, { ...preflight, command });
      const host = addressesOfPods(pods).host(job.replicas[0]);
      expect(JSON.parse(inside[PREFLIGHT_VARIABLE])).toMatchObject({ rank: replica.rank, size: 4, host });
    }
  });

  test('what it adds is told as it is', async () => {
    const spec: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 4, command: PRINT_ENVIRONMENT };
    const job = resolveTrainingJob('net', spec);
    const pods = podsByOrdinal(job, upstreamPods(engine.render({ name: 'net', spec }).job));
    for (const [ordinal, { env }] of engine.environments({ name: 'net', spec }).entries()) {
      const { pod } = pods.get(ordinal)!;
      const inside = await environmentInside(pod, pod.spec.containers[0]);
      expect(Object.fromEntries(env.map(({ name, value }) => [name, value]))).toEqual(inside);
    }
  });
});

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
