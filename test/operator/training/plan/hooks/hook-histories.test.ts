/**
 * Jobs with hooks live through random histories: pods start, end, are taken away and vanish, users suspend and resume, the operator dies after a
 * decision and before what follows from it, or reads what it wrote a moment ago only later. `TRAINYARD_HISTORIES` says how many.
 */
import { makeJob } from '../../support/builders';
import { PlannedJob } from '../../support/planned-job';
import { Random } from '../simulation/random';
import { HOOK_NAMES, type HookName, type HooksSpec } from '../../../../../src/model/training-job/hooks';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import type { ObservedHookPod, Plan } from '../../../../../src/operator/training/plan/types';

const COUNT = Math.max(500, Number(process.env.TRAINYARD_HISTORIES ?? 500));
const STEPS = 40;

/** A job whose every plan is watched. */
class WatchedJob extends PlannedJob {
  /** Pods of hooks that ran to success, by hook: a decision that was written says so. */
  public readonly succeeded: HookName[] = [];
  public outcome?: string;

  public override plan(...problems: Parameters<PlannedJob['plan']>): Plan {
    const planned = super.plan(...problems);
    this.check(planned);
    return planned;
  }

  private check({ status, actions, decided }: Plan): void {
    const { hooks } = this.job.spec;
    const known = this.status.hooks;
    if (actions.some(({ type }) => type === 'createPod') && hooks?.before !== undefined && known?.before?.phase !== 'Succeeded') {
      throw new Error('a replica is created before the hook before it has succeeded');
    }
    if (actions.some(({ type }) => type === 'createPod') && known?.after !== undefined) {
      throw new Error('a replica is created although the replicas have succeeded');
    }
    for (const action of actions) {
      if (action.type === 'createHookPod' && this.succeeded.includes(action.hook)) {
        throw new Error(`a pod of ${action.hook} is created although one has succeeded`);
      }
      if (action.type === 'createHookPod' && (action.hook === 'onExit') !== isFinished(this.status)) {
        throw new Error(`a pod of ${action.hook} is created in a job that is ${this.status.phase}`);
      }
    }
    if (decided) {
      for (const name of HOOK_NAMES.filter((hook) => status.hooks?.[hook]?.phase === 'Succeeded' && known?.[hook]?.phase !== 'Succeeded')) {
        if (this.succeeded.includes(name)) {
          throw new Error(`${name} has succeeded twice`);
        }
        this.succeeded.push(name);
      }
    }
    if (this.outcome !== undefined && status.phase !== this.outcome) {
      throw new Error(`the job was ${this.outcome} and is ${status.phase}`);
    }
    this.outcome = isFinished(status) ? status.phase : undefined;
    if (status.phase === 'Completed' && HOOK_NAMES.some((name) => name !== 'onExit' && hooks?.[name] !== undefined && status.hooks?.[name]?.phase !== 'Succeeded')) {
      throw new Error('the job has succeeded without its hooks');
    }
  }

  /** One decision or the actions of one plan, of an operator that dies after it. */
  public passAndDie(): void {
    const planned = this.plan();
    if (planned.decided) {
      this.job = { ...this.job, status: planned.status };
    }
  }
}

function randomHooks(random: Random): HooksSpec {
  const hook = () => ({ command: ['run'], backoffLimit: random.between(0, 2), timeoutSeconds: random.between(60, 600) });
  return Object.fromEntries(HOOK_NAMES.filter(() => random.chance(0.7)).map((name) => [name, hook()]));
}

/** Something happens to the pod of a hook. */
function live(random: Random, job: WatchedJob, pod: ObservedHookPod, isPeaceful: boolean): void {
  const { name } = pod;
  if (pod.state === 'Succeeded' || pod.state === 'Failed') {
    return;
  }
  job.setHook((builder) => random.pickWeighted([
    [2, builder.running()],
    [3, builder.succeeded()],
    [isPeaceful ? 0 : 1, builder.failed(1)],
    [isPeaceful ? 0 : 1, builder.evicted()],
  ]), name);
}

function step(random: Random, job: WatchedJob, isPeaceful: boolean): void {
  const hookPods = [...job.hookPods.values()];
  random.pickWeighted<() => void>([
    [3, () => hookPods.forEach((pod) => live(random, job, pod, isPeaceful))],
    [2, () => job.setAll((pod) => pod.running())],
    [1, () => job.setAll((pod) => pod.succeeded())],
    [isPeaceful ? 0 : 0.3, () => job.pods.size > 0 && job.set((pod) => pod.failed(1), random.pick([...job.pods.keys()]))],
    // What nobody has seen to succeed may vanish; so may what was seen.
    [isPeaceful ? 0 : 0.5, () => hookPods.length > 0 && job.lose(random.pick(hookPods).name)],
    [isPeaceful ? 0 : 0.5, () => job.edit({ suspend: job.job.spec.suspend !== true })],
    [isPeaceful ? 0 : 1, () => job.passAndDie()],
  ])();
  job.after(random.between(1, 20));
}

/** Lives through one history; returns how it ended. */
function history(seed: number): string {
  const random = new Random(seed);
  const job = new WatchedJob(makeJob().pytorch(random.between(1, 3)).spec({ hooks: randomHooks(random) }).restartPolicy('OnFailure')
    .runPolicy({ backoffLimit: 2, cleanPodPolicy: random.pick(['All', 'Running', 'None']), ...(random.chance(0.2) && { activeDeadlineSeconds: 200 }) }));
  for (let count = 0; count < STEPS; count++) {
    step(random, job, false);
    if (random.chance(0.8)) {
      job.pass();
    }
  }
  job.edit({ suspend: false });
  const isDone = () => isFinished(job.status) && HOOK_NAMES.every((name) => job.status.hooks?.[name] === undefined || ['Succeeded', 'Failed'].includes(job.status.hooks[name].phase) || name !== 'onExit');
  for (let count = 0; count < 200 && !(isDone() && job.settle().actions.length === 0); count++) {
    step(random, job, true);
    job.pass();
  }
  expect(isDone()).toBe(true);
  expect(job.job.spec.hooks?.onExit === undefined || job.status.hooks?.onExit !== undefined).toBe(true);
  const alive = [...job.hookPods.values()].filter((pod) => pod.state === 'Waiting' || pod.state === 'Running');
  expect(alive.filter(({ hook }) => ['Succeeded', 'Failed'].includes(job.status.hooks?.[hook]?.phase ?? ''))).toEqual([]);
  const reason = job.status.conditions?.find(({ type }) => type === 'Failed' || type === 'Succeeded')?.reason;
  return `${job.status.phase}: ${reason}`;
}

it(`${COUNT} random histories of jobs with hooks keep the order of hooks and replicas, repeat nothing that has succeeded, and end`, () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= COUNT; seed++) {
    try {
      const end = history(seed);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }

  // A simulation in which little happens proves little.
  expect([...ends.keys()]).toEqual(expect.arrayContaining([
    'Completed: JobSucceeded', 'Failed: BeforeHookFailed', 'Failed: AfterHookFailed', 'Failed: BackoffLimitExceeded', 'Failed: DeadlineExceeded',
  ]));
});
