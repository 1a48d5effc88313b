/**
 * What Trainyard renders for an engine, it reads back as the job that it was: for every engine whose kinds are read, random jobs that the engine
 * accepts, in the fields that both have.
 */
import fc from 'fast-check';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { engines } from '../../../src/manifests/engines/registry';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { JsonObject } from '../../../src/manifests/migrate/fields';
import { migrateObjects } from '../../../src/manifests/migrate/migrate';
import { mergePodTemplates } from '../../../src/manifests/pod/pod-template';
import { slotsPerWorker } from '../../../src/model/frameworks/mpi';
import { canonicalPodSpec } from '../../../src/manifests/pod/typed-pod';
import { canonicalQuantity, wholeCpus } from '../../../src/model/quantities';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { EnvVarSpec, TrainingJobSpec } from '../../../src/model/training-job/spec';
import { sharedMemoryOf } from '../../../src/model/training-job/accelerator-labels';
import { validSpec } from '../../model/training-job/arbitraries';

const NAME = 'net';

function engineNamed(name: string): EngineDefinition {
  const found = engines().find((engine) => engine.name === name);
  if (found === undefined) {
    throw new Error(`there is no engine ${name}`);
  }
  return found;
}

/** Renders a job and reads it again. */
function roundTrip(engine: EngineDefinition, spec: TrainingJobSpec): TrainingJobSpec {
  const { job, companions } = engine.render({ name: NAME, namespace: 'ml', spec });
  // What stands beside the job is read as part of it, or carried over: MPI's files are objects of their own.
  const [result] = migrateObjects([job, ...companions] as unknown as JsonObject[]);
  if (result.outcome !== 'job') {
    throw new Error(`${JSON.stringify(result)} for ${JSON.stringify(job)}`);
  }
  return result.job.spec;
}

/** What a job comes to, whichever way it was written. */
function meaning(spec: TrainingJobSpec): unknown {
  const resolved = resolveTrainingJob(NAME, spec);
  const { roles, port, runPolicy, successPolicy, framework } = resolved;
  const slots = framework.launcherGivesRanks ? slotsPerWorker(resolved) : undefined;
  return {
    // The kinds of MPI do not say what the launcher runs.
    framework: framework.launcherGivesRanks ? 'mpi' : framework.name,
    // A launcher meets its workers by ssh.
    port: framework.launcherGivesRanks ? undefined : port,
    successPolicy,
    restartPolicies: roles.map(({ restartPolicy }) => restartPolicy),
    backoffLimit: runPolicy.restartPolicy === 'Never' ? undefined : runPolicy.backoffLimit,
    activeDeadlineSeconds: runPolicy.activeDeadlineSeconds,
    checkpoint: [spec.checkpointPath, spec.checkpoint],
    code: [spec.code, spec.workingDir],
    hyperparameters: Object.keys(spec.hyperparameters ?? {}).length > 0 ? spec.hyperparameters : undefined,
    // Engines say what goes without saying here. The processes of other frameworks have no field on any of them.
    processes: framework.name === 'pytorch' ? String(spec.nprocPerNode ?? (roles[0].resources.gpu ? 'auto' : wholeCpus(roles[0].resources))) : slots,
    elastic: spec.elastic,
    init: spec.init,
    hooks: spec.hooks,
    queue: spec.scheduling?.queueName,
    placement: [spec.scheduling?.nodeSelector, spec.scheduling?.tolerations, spec.scheduling?.priorityClassName],
    roles: roles.map((role) => ({
      // TensorFlow's chief and master are one task.
      name: role.name === 'chief' ? 'master' : role.name, replicas: role.replicas, image: role.image, entry: [...role.command ?? [], ...role.args ?? []], env: sorted(role.env),
      resources: withoutNone({ ...role.resources, sharedMemory: sharedMemoryOf(resolved, role) }),
      template: canonicalTemplate(mergePodTemplates(role.templates)),
    })),
  };
}

const sorted = (env: readonly EnvVarSpec[]) => [...env].sort((one, other) => (one.name < other.name ? -1 : 1));

/** No devices are no devices, and engines write quantities in their canonical form. */
function withoutNone({ gpu, ...rest }: NonNullable<TrainingJobSpec['resources']>): object {
  const quantities = Object.entries(rest).map(([field, value]) => [field, typeof value === 'string' ? canonicalQuantity(value) : value]);
  return { ...Object.fromEntries(quantities) as object, ...(gpu ? { gpu } : {}) };
}

/** A template, in the form in which some engines write it. */
function canonicalTemplate({ spec, ...rest }: ReturnType<typeof mergePodTemplates>): object {
  return { ...rest, spec: canonicalPodSpec(spec) };
}

/** Jobs with more of what engines have. */
const job: fc.Arbitrary<TrainingJobSpec> = fc.tuple(validSpec, fc.record({
  command: fc.constantFrom(undefined, ['python'], ['python', 'train.py']),
  args: fc.constantFrom(undefined, ['--epochs', '3']),
  workers: fc.constantFrom<Partial<TrainingJobSpec>>(
    {}, { runPolicy: { activeDeadlineSeconds: 60 } }, { scheduling: { nodeSelector: { a: 'b' }, priorityClassName: 'high' } }, { scheduling: { queueName: 'q' } },
    { template: { spec: { containers: [{ name: 'training', volumeMounts: [{ name: 'd', mountPath: '/d' }] }], volumes: [{ name: 'd', emptyDir: {} }] } } },
    { checkpointPath: '/checkpoints', checkpoint: { claimName: 'c', subPath: 'x', gracePeriodSeconds: 40 } }, { resources: { sharedMemory: '1Gi' } },
    { init: true, command: ['python', 'train.py'] },
    { hooks: { before: { command: ['prepare'], args: ['--all'], timeoutSeconds: 60, backoffLimit: 2, env: [{ name: 'H', value: 'h' }] } } },
    { hooks: { before: { command: ['prepare'] }, after: { command: ['register'], image: 'tools', resources: { cpu: '1' } } }, runPolicy: { successPolicy: 'AllReplicas' } },
    { code: { digest: `sha256:${'a'.repeat(64)}`, configMap: 'trainyard-code-a' } }, { code: { digest: `sha256:${'c'.repeat(64)}`, configMaps: ['code-0', 'code-1'] } }, { code: { digest: `sha256:${'b'.repeat(64)}`, url: 's3://b/c.tar.gz', mountPath: '/src', secretName: 's', fetchImage: 'f' }, workingDir: '/w' },
  ),
})).map(([spec, { command, args, workers }]) => JSON.parse(JSON.stringify({ ...spec, command, args, ...workers })) as TrainingJobSpec);

/**
 * What an engine's objects cannot tell, and a reader can only take as they stand: MPI is arranged by ssh keys and files of their own on engines
 * without a
 * controller for them, and a role of which one replica has a template apart is two.
 */
const UNREADABLE: { readonly [engine: string]: readonly string[] } = {
  'training-operator-v1': ['deepspeed'], 'trainer': ['mpi', 'horovod', 'deepspeed', 'paddle'], 'jobset': ['mpi', 'horovod', 'deepspeed', 'paddle'], 'volcano': ['mpi', 'horovod', 'deepspeed', 'paddle'], 'job': ['tensorflow', 'paddle', 'mxnet'],
};

/**
 * Jobs whose objects say too little, or too much: one replica of TensorFlow has no variables, Jobs and nodes have no names of roles, and
 * MXNet's master has further containers that only the rendering knows the reason of.
 */
function isSilent(engine: string, { framework, replicas, roles = [] }: TrainingJobSpec): boolean {
  const count = replicas ?? roles.reduce((sum, role) => sum + (role.replicas ?? 1), 0);
  const hasHelpers = framework === 'mxnet' && (roles.length === 0 || roles.some(({ name }) => name === 'master'));
  return engine !== 'training-operator-v1'
    && (hasHelpers || (framework === 'tensorflow' && count === 1) || (roles.length > 0 && ((engine === 'job' && framework === 'plain') || (!['jobset', 'volcano'].includes(engine) && framework === 'pytorch'))));
}

/** A PyTorch job that names no number of processes: training-operator-v1 is told one for all CPUs, docs/engines/training-operator-v1.md says why. */
function asWritten(engine: string, spec: TrainingJobSpec): TrainingJobSpec {
  if (engine !== 'training-operator-v1' || spec.framework !== 'pytorch' || spec.nprocPerNode !== undefined || spec.elastic !== undefined) {
    return spec;
  }
  const hasGpus = resolveTrainingJob(NAME, spec).roles.some(({ resources }) => (resources.gpu ?? 0) > 0);
  return { ...spec, nprocPerNode: hasGpus ? 'auto' : 1 };
}

test.each(Object.keys(UNREADABLE))('jobs that %s runs come back as they were', (name) => {
  const engine = engineNamed(name);
  const seen = new Set<string>();
  fc.assert(fc.property(job, (spec) => {
    fc.pre(!UNREADABLE[name].includes(spec.framework) && !isSilent(name, spec) && validateForEngine(engine, NAME, spec).length === 0);
    seen.add(spec.framework);
    expect(meaning(roundTrip(engine, spec))).toEqual(meaning(asWritten(name, spec)));
  }), { numRuns: 100, seed: 3 });
  const supported = Object.entries(engine.capabilities.frameworks).filter(([, support]) => support === true).map(([framework]) => framework);
  expect([...seen]).toEqual(expect.arrayContaining(supported.filter((framework) => !UNREADABLE[name].includes(framework))));
});
