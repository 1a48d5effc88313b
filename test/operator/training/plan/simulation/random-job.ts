/** Random jobs: every framework, short and long forms, every policy. Small, because what goes wrong goes wrong with few replicas too. */
import { Random } from './random';
import { HOOK_NAMES, type HookSpec } from '../../../../../src/model/training-job/hooks';
import type { HelperSpec } from '../../../../../src/model/training-job/replicas/role-specs';
import { STUCK_POD_POLICIES } from '../../../../../src/model/training-job/run-policy';
import { CLEAN_POD_POLICIES, RESTART_POLICIES, type RunPolicySpec, SUCCESS_POLICIES } from '../../../../../src/model/training-job/run-policy';
import type { GangSpec } from '../../../../../src/model/training-job/scheduling';
import { FRAMEWORK_NAMES, type RoleSpec, type TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../../../src/model/training-job/validation/validation';

/** Name of the only job of a history. */
export const JOB_NAME = 'job';

/** Command of hooks of which some never end. */
export const SLOW_PROGRAM = 'slow';

/** Command of hooks whose image does not have it. */
export const MISSING_PROGRAM = 'missing';

/** How many different jobs there are. Each is made once: checking a spec costs more than a step of a history. */
const VARIETY = 5_000;

const drawn = new Map<number, TrainingJobSpec>();

/** A valid job of one to six replicas. */
export function randomSpec(random: Random): TrainingJobSpec {
  const number = random.between(1, VARIETY);
  let spec = drawn.get(number);
  if (spec === undefined) {
    const own = new Random(number);
    do {
      spec = draw(own, own.between(1, 6));
    } while (validateTrainingJob(JOB_NAME, spec).length > 0);
    spec = withHooks(withHelpers(spec, new Random(VARIETY + number)), new Random(2 * VARIETY + number));
    drawn.set(number, spec);
  }
  return spec;
}

function draw(random: Random, most: number): TrainingJobSpec {
  if (random.chance(0.15)) {
    return elasticJob(random, most);
  }
  // Independent replicas more often than their share: kubelets restart them in place.
  const framework = random.pick([...FRAMEWORK_NAMES, 'plain', 'plain'] as const);
  const isLong = random.chance(0.4);
  return {
    framework,
    image: 'registry.example/train:1',
    ...(isLong ? { roles: roles(random, framework, most) } : { replicas: random.between(1, most) }),
    runPolicy: runPolicy(random),
    ...scheduling(random),
    ...(random.chance(0.15) && { preflight: { timeoutSeconds: random.between(5, 60) } }),
    ...(random.chance(0.05) && { suspend: true }),
  };
}

/** Some jobs get helpers; by chance of their own, so that all others are what they were without them. */
function withHelpers(spec: TrainingJobSpec, random: Random): TrainingJobSpec {
  if (spec.elastic !== undefined || !random.chance(0.1)) {
    return spec;
  }
  const helpers = ['guide', 'judge'].slice(0, random.between(1, 2)).map((name): HelperSpec => ({
    name, image: 'registry.example/help:1', replicas: random.between(1, 2), onFailure: random.pickWeighted([[3, 'Restart'], [1, 'Fail'], [2, 'Ignore']]),
  }));
  return { ...spec, helpers };
}

/** A third of the jobs get hooks, also by chance of their own. */
function withHooks(spec: TrainingJobSpec, random: Random): TrainingJobSpec {
  const names = HOOK_NAMES.filter(() => random.chance(0.5));
  if (names.length === 0 || !random.chance(0.4)) {
    return spec;
  }
  return { ...spec, hooks: Object.fromEntries(names.map((name) => [name, hook(random)])) };
}

/** What becomes of its pods, the nodes decide by its command. */
function hook(random: Random): HookSpec {
  return {
    command: [random.pickWeighted([[8, 'run'], [3, SLOW_PROGRAM], [1, MISSING_PROGRAM]])],
    ...(random.chance(0.7) && { backoffLimit: random.between(0, 2) }),
    ...(random.chance(0.8) && { timeoutSeconds: random.pick([5, 30, 300]) }),
  };
}

/** A gang, or a place in a queue of Kueue, or neither. */
function scheduling(random: Random): Pick<TrainingJobSpec, 'scheduling'> {
  if (random.chance(0.2)) {
    return { scheduling: { gang: gang(random) } };
  }
  return random.chance(0.2) ? { scheduling: { queueName: 'team' } } : {};
}

/** Of a scheduler that wants no objects: what it does about the pods, the nodes here do by chance. */
function gang(random: Random): GangSpec {
  return { scheduler: random.pick(['YuniKorn', 'Kai']), minAvailable: random.between(1, 4), scheduleTimeoutSeconds: random.pick([1, 30, 300]) };
}

function elasticJob(random: Random, most: number): TrainingJobSpec {
  const replicas = random.between(1, most);
  return {
    framework: random.pick(['pytorch', 'pytorch', 'horovod'] as const),
    image: 'registry.example/train:1',
    replicas,
    elastic: { minReplicas: random.between(1, replicas), maxReplicas: random.between(replicas, 8) },
    runPolicy: runPolicy(random),
    ...scheduling(random),
    ...(random.chance(0.05) && { suspend: true }),
  };
}

const LONG_FORMS: Partial<Record<TrainingJobSpec['framework'], readonly string[]>> = {
  pytorch: ['master', 'worker'],
  tensorflow: ['chief', 'worker', 'ps', 'evaluator'],
  mxnet: ['scheduler', 'server', 'worker'],
  mpi: ['launcher', 'worker'],
  horovod: ['launcher', 'worker'],
  deepspeed: ['launcher', 'worker'],
  xgboost: ['master', 'worker'],
  lightgbm: ['master', 'worker'],
  plain: ['actor', 'learner', 'watcher'],
};

function roles(random: Random, framework: TrainingJobSpec['framework'], most: number): RoleSpec[] {
  const names = LONG_FORMS[framework] ?? ['worker'];
  let left = most;
  return names.map((name) => {
    const replicas = random.between(1, Math.max(1, Math.min(2, left)));
    left -= replicas;
    const isSingle = ['master', 'chief', 'scheduler', 'launcher'].includes(name);
    return { name, replicas: isSingle ? 1 : replicas, ...(random.chance(0.3) && { restartPolicy: random.pick(RESTART_POLICIES) }) };
  });
}

/** Some jobs may not wait as long as they may run. */
function deadlines(activeDeadlineSeconds: number): RunPolicySpec {
  return { activeDeadlineSeconds, ...(activeDeadlineSeconds % 3 === 0 && { preRunningDeadlineSeconds: activeDeadlineSeconds / 3 }) };
}

function runPolicy(random: Random): RunPolicySpec {
  return {
    restartPolicy: random.pickWeighted([[2, 'Never'], [5, 'OnFailure'], [2, 'ExitCode'], [1, 'Always']] as const),
    ...(random.chance(0.7) && { backoffLimit: random.between(0, 4) }),
    ...(random.chance(0.7) && {
      backoff: { initialSeconds: random.between(1, 10), maxSeconds: random.between(10, 60), resetAfterSeconds: random.pick([1, 60, 600]) },
    }),
    ...(random.chance(0.3) && { exitCodes: { recover: [42], retry: random.chance(0.5) ? [2] : [], fail: random.chance(0.5) ? [143] : [] } }),
    ...(random.chance(0.3) && { disruptionLimit: random.between(0, 4) }),
    ...(random.chance(0.2) && { stall: { timeoutSeconds: random.between(2, 60), action: random.pickWeighted([[4, 'Restart'], [1, 'Fail']] as const) } }),
    ...(random.chance(0.08) && deadlines(random.between(30, 600))),
    ...(random.chance(0.2) && { ttlSecondsAfterFinished: random.pick([0, 60]) }),
    ...(random.chance(0.5) && { startTimeoutSeconds: random.pick([1, 60, 300]) }),
    ...(random.chance(0.5) && {
      nodeLoss: { graceSeconds: random.pick([0, 30]), stuckPods: random.pick(STUCK_POD_POLICIES), forceDeleteAfterSeconds: random.pick([0, 60]) },
    }),
    ...(random.chance(0.3) && { nodeAvoidance: { afterFailures: random.between(0, 3), forSeconds: random.pick([1, 60, 3600]) } }),
    cleanPodPolicy: random.pick(CLEAN_POD_POLICIES),
    ...(random.chance(0.2) && { successPolicy: random.pick(SUCCESS_POLICIES) }),
  };
}
