/**
 * Recovery: jobs run, something is lost, and the clock runs until the replacement is created and until the job runs again. Jobs are gangs of PyTorch,
 * the harder case: all pods of the job have to go before the first one of the next attempt may come. Each job is hit at most once.
 */
import type { BenchPlane } from './bench-plane';
import { patient } from './burst';
import type { OperatorUnderTest } from './operator-under-test';
import { percentile, rounded } from './statistics';
import { jobName, jobOfPod, jobsPath, podsPath } from './workload';
import { constructFakeNode } from '../../src/local/control-plane/fake-nodes';

/** What is lost. */
export type Loss = 'pod' | 'operator' | 'node';

/** Seconds from one kind of loss. */
export interface Recovery {
  readonly loss: Loss;
  /** Jobs that were hit. */
  readonly jobs: number;
  /** Until the pod of the same replica was created anew. */
  readonly createdP50: number;
  readonly createdP99: number;
  /** Until the job said that it runs again. */
  readonly runningP50: number;
  readonly runningP99: number;
}

/** How much is lost, and how fast. */
export interface RecoveryOptions {
  /** Pods that are deleted one after the other. */
  readonly pods: number;
  /** Times that the operator is killed, with a pod of `podsPerKill` jobs at the same moment. */
  readonly operatorKills: number;
  readonly podsPerKill: number;
  /** Nodes that vanish, one after the other. */
  readonly nodes: number;
}

/**
 * Pause between two losses, milliseconds: far more than 2,000 pods ever lose, and few enough that one recovery is not measured by how long it waits
 * for the last one's some 20 requests.
 */
const PAUSE_MS = 500;

/** Replica whose pod is lost: not the coordinator, as most replicas are not. */
const VICTIM = 1;

interface Hit {
  readonly at: number;
  readonly pod: string;
  readonly uid: string;
  created?: number;
  running?: number;
}

/** Looks for replacements. */
class RecoveryWatch {
  public static async start(plane: BenchPlane, namespace: string): Promise<RecoveryWatch> {
    const watch = new RecoveryWatch();
    await Promise.all([
      plane.session.watch(podsPath(namespace), { metadataOnly: true }, (type, { metadata: { name, uid } }, at) => {
        const hit = watch.hits.get(jobOfPod(name));
        if (type === 'ADDED' && hit?.pod === name && hit.uid !== uid) {
          hit.created ??= at;
          watch.look();
        }
      }),
      plane.session.watch(jobsPath(namespace), {}, (_type, { metadata: { name }, status }, at) => {
        const hit = watch.hits.get(name);
        if (hit && status?.phase === 'Running' && (status.attempt ?? 0) > 0) {
          hit.running ??= at;
          watch.look();
        }
      }),
    ]);
    return watch;
  }

  private readonly hits = new Map<string, Hit>();
  private waiting?: () => void;

  /** A pod of a job is about to be lost. */
  public hit(pod: string, uid: string): void {
    this.hits.set(jobOfPod(pod), { at: performance.now(), pod, uid });
  }

  /** Waits until all have recovered. */
  public async settled(loss: Loss): Promise<void> {
    await patient(`recovery from the loss of a ${loss}`, new Promise<void>((resolve) => {
      this.waiting = resolve;
      this.look();
    }));
  }

  /** Waits until all have recovered, tells how long it took, and forgets them. */
  public async recovered(loss: Loss): Promise<Recovery> {
    await this.settled(loss);
    const hits = [...this.hits.values()];
    this.hits.clear();
    const created = hits.map((hit) => (hit.created! - hit.at) / 1000);
    const running = hits.map((hit) => (hit.running! - hit.at) / 1000);
    return {
      loss,
      jobs: hits.length,
      createdP50: rounded(percentile(created, 0.5)),
      createdP99: rounded(percentile(created, 0.99)),
      runningP50: rounded(percentile(running, 0.5)),
      runningP99: rounded(percentile(running, 0.99)),
    };
  }

  private look(): void {
    if ([...this.hits.values()].every((hit) => hit.created !== undefined && hit.running !== undefined)) {
      this.waiting?.();
    }
  }
}

/** A pod as it runs. */
interface RunningPod {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
}

/**
 * Takes pods, nodes and the operator from the running jobs of a namespace.
 * @param operator the operator that runs them
 * @returns times, and the operator that runs them in the end
 */
export async function measureRecovery(
  plane: BenchPlane, operator: OperatorUnderTest, namespace: string, options: RecoveryOptions,
): Promise<{ readonly recoveries: Recovery[]; readonly operator: OperatorUnderTest }> {
  const { session } = plane;
  const watch = await RecoveryWatch.start(plane, namespace);
  const victims = await runningPods(plane, namespace);
  const recoveries: Recovery[] = [];
  const lose = async (pod: RunningPod): Promise<void> => {
    watch.hit(pod.name, pod.uid);
    await session.remove(`${podsPath(namespace)}/${pod.name}?gracePeriodSeconds=0`);
  };
  const isVictim = new Set<string>();
  const next = (): RunningPod => {
    const pod = victims.find((candidate) => candidate.name === `${jobName(isVictim.size)}-worker-${VICTIM}`)
      ?? victims.find((candidate) => !isVictim.has(jobOfPod(candidate.name)))!;
    isVictim.add(jobOfPod(pod.name));
    return pod;
  };

  for (let index = 0; index < options.pods; index++) {
    await lose(next());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  recoveries.push(await watch.recovered('pod'));

  let current = operator;
  if (options.operatorKills > 0) {
    for (let kill = 0; kill < options.operatorKills; kill++) {
      const pods = Array.from({ length: options.podsPerKill }, next);
      const killed = current.kill();
      await Promise.all([killed, ...pods.map(lose)]);
      // As the kubelet starts a container again: at once, for the first time.
      current = plane.startOperator();
      await current.ready();
      // One that is killed again before it has done anything would be measured by the number of kills.
      await watch.settled('operator');
    }
    recoveries.push(await watch.recovered('operator'));
  }

  for (let index = 0; index < options.nodes; index++) {
    const { node } = victims.find((pod) => !isVictim.has(jobOfPod(pod.name)))!;
    const lost = victims.filter((pod) => pod.node === node && !isVictim.has(jobOfPod(pod.name)));
    const oncePerJob = lost.filter((pod, at) => lost.findIndex((other) => jobOfPod(other.name) === jobOfPod(pod.name)) === at);
    oncePerJob.forEach((pod) => {
      isVictim.add(jobOfPod(pod.name));
      watch.hit(pod.name, pod.uid);
    });
    await session.remove(`/api/v1/nodes/${node}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  if (options.nodes > 0) {
    recoveries.push(await watch.recovered('node'));
    const names = new Set((await session.read<{ items: { metadata: { name: string } }[] }>('/api/v1/nodes'))!.items.map(({ metadata }) => metadata.name));
    for (let index = 0; index < plane.nodes.count; index++) {
      if (!names.has(`fake-${index}`)) {
        await session.create('/api/v1/nodes', JSON.stringify(constructFakeNode(index, plane.nodes)));
      }
    }
  }
  return { recoveries, operator: current };
}

async function runningPods(plane: BenchPlane, namespace: string): Promise<RunningPod[]> {
  const list = await plane.session.read<{ items: { metadata: { name: string; uid: string }; spec: { nodeName: string } }[] }>(podsPath(namespace));
  return list!.items.map(({ metadata: { name, uid }, spec: { nodeName } }) => ({ name, uid, node: nodeName }));
}
