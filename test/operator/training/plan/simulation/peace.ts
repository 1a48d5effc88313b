/**
 * Peace: nothing goes wrong any more, and everything has to end well. The operator is called only when its own queue says so, so that a plan
 * that forgot to ask for a later pass is found out.
 */
import { NO_FAULTS } from './api-client';
import { describePod } from './chaos';
import { InvariantViolation } from './invariants';
import { JOB_NAME } from './random-job';
import { edited } from './specs';
import type { World } from './world';
import { ROLE_LABEL } from '../../../../../src/model/labels';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';

/** More rounds than this, and the operator runs in circles. */
const MAX_ROUNDS = 4_000;

/** Rounds after which time goes by faster. */
const PATIENT_ROUNDS = 1_000;

/** Lets the world come to rest, resumes the job if it is suspended, and deletes it when it has ended. Answers its last status. */
export async function makePeace(world: World): Promise<TrainingJobStatus | undefined> {
  const { server, client, invariants } = world;
  world.trace(() => 'peace');
  client.rates = NO_FAULTS;
  world.nodes.stuckRate = 0;
  world.nodes.fullRate = 0;
  world.nodes.checks.failRate = 0;
  world.nodes.checks.hangRate = 0;
  world.nodes.checks.stallRate = 0;
  world.nodes.checks.busyRate = 0;
  world.nodes.health.heal();
  world.nodes.health.setOutage(false);
  while (client.late.length > 0) {
    world.letLateRequestArrive();
  }
  if (world.random.chance(0.5)) {
    world.kueue.evict();
  }
  if (world.operator === undefined) {
    world.startOperator();
  }
  // Whatever failed last is tried again, after the longest Retry-After.
  world.pass(10_000);
  await settle(world);
  const suspended = server.jobs.get(JOB_NAME);
  if (suspended?.spec.suspend && suspended.status?.completionTime === undefined) {
    // What a hook has left, and replicas that have succeeded before one, may be read.
    const pods = [...server.pods.objects.values()]
      .filter((pod) => world.nodes.alive.has(pod.metadata!.uid!) || !(isHookPod(pod) || suspended.status?.hooks?.after !== undefined));
    invariants.hold('a suspended job has no pods', pods.length === 0 && suspended.status?.phase === 'Suspended',
      () => `${suspended.status?.phase} with ${pods.map(describePod).join()}`);
    world.trace(() => 'the job is resumed');
    server.updateSpec(JOB_NAME, edited(suspended.spec, { suspend: false }));
    await settle(world);
  }
  const job = server.jobs.get(JOB_NAME);
  if (job) {
    invariants.hold('every job ends', job.status?.completionTime !== undefined, () => JSON.stringify(job.status));
    invariants.queue.holdEnded(job);
    invariants.hooks.holdEnded(job);
    const pods = [...server.pods.objects.values()];
    invariants.hold('pods are cleaned up', job.spec.runPolicy?.cleanPodPolicy !== 'All' || pods.length === 0, () => `${pods.map(describePod).join()} are left`);
    const left = pods.filter(({ metadata, status }) => job.spec.helpers?.some(({ name }) => name === metadata!.labels![ROLE_LABEL])
      && !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
    invariants.hold('no helper outlives its job', left.length === 0, () => `${left.map(describePod).join()} run`);
    world.trace(() => 'the job is deleted');
    server.deleteJob(JOB_NAME);
    await settle(world);
  }
  // ConfigMaps and Secrets are found beside the other children; where those are gone already, they are the garbage collector's.
  const left = [server.pods, server.services, server.workloads].flatMap((collection) => [...collection.objects.keys()]);
  invariants.hold('nothing is left of a deleted job', left.length === 0, () => left.join());
  return job?.status;
}

/** Lets everything happen that still wants to, as the operator's queue asks for it. */
async function settle(world: World): Promise<void> {
  const operator = world.operator!;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    operator.caches.catchUp();
    if (operator.isDue) {
      await operator.reconcile();
      continue;
    }
    world.invariants.hooks.holdSettled(world.server.jobs.get(JOB_NAME));
    if (world.kueue.hasWork) {
      const job = world.server.jobs.get(JOB_NAME);
      if (job !== undefined) {
        world.invariants.queue.holdWaiting(job);
      }
      world.kueue.admit(true);
    } else if (world.nodes.hasWork) {
      holdStopped(world);
      world.invariants.queue.holdSettled();
      world.holdCounted();
      world.nodes.step(0, 0);
      // A clock that was set back makes some waits hours long, through which replicas that are always restarted end again and again.
      world.pass(round < PATIENT_ROUNDS ? 1_000 : 60_000);
    } else if (operator.nextTimer !== undefined) {
      world.pass(Math.max(1, operator.nextTimer - world.clock.monotonic));
    } else {
      return;
    }
  }
  throw new InvariantViolation('everything comes to rest', `after ${MAX_ROUNDS} rounds of peace: ${JSON.stringify(world.server.jobs.get(JOB_NAME)?.status)}`);
}

/** The operator has had its turn: nothing of a finished job goes on, unless the job says so. */
function holdStopped({ server, nodes, invariants }: World): void {
  const job = server.jobs.get(JOB_NAME);
  if (job?.status?.completionTime === undefined || job.spec.runPolicy?.cleanPodPolicy === 'None') {
    return;
  }
  const left = [...server.pods.objects.values()]
    .filter(({ metadata }) => nodes.alive.has(metadata!.uid!) && metadata!.deletionTimestamp === undefined)
    .filter((pod) => controllerOf(pod)?.uid === job.metadata!.uid && !isHookPod(pod));
  invariants.hold('pods are cleaned up', left.length === 0, () => `${left.map(describePod).join()} live on after the job's end`);
}
