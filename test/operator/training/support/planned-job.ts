/** A job that is planned over and over in a world without delays: what is decided is written at once, what is asked for is done at once. */
import { JobBuilder, makePod, type PodBuilder } from './builders';
import { serviceNames } from '../../../../src/manifests/job/services';
import { plan } from '../../../../src/operator/training/plan/plan';
import { conditionOf } from '../../../../src/operator/training/plan/conditions';
import type { Condition, ConditionType, TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import type { Action, Observation, ObservedHookPod, ObservedJob, ObservedPod, Plan, PlannedEvent, Problem } from '../../../../src/operator/training/plan/types';
import { hookPodName } from '../../../../src/model/training-job/hooks';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';

/** When tests begin, milliseconds. */
export const START = Date.parse('2026-03-01T12:00:00Z');

/** See the top of this file. */
export class PlannedJob {
  public job: ObservedJob;
  public now = START;
  public readonly pods = new Map<string, ObservedPod>();
  /** Pods of hooks, by name. */
  public readonly hookPods = new Map<string, ObservedHookPod>();
  public services: string[] = [];
  /** Everything that the last {@link pass} asked for. */
  public actions: readonly Action[] = [];
  /** Everything that was published so far. */
  public readonly events: PlannedEvent[] = [];
  public requeueAfterMs?: number;
  /** What else is observed. */
  public observed: Pick<Observation, 'queue' | 'departed' | 'utilization' | 'clockSteadySince' | 'heardSince'> = {};
  public isDeleted = false;
  private uids = 0;

  public constructor(builder: JobBuilder) {
    this.job = builder.build();
  }

  public get status(): TrainingJobStatus {
    return this.job.status;
  }

  /** A condition of the job. */
  public condition(type: ConditionType): Condition | undefined {
    return conditionOf(this.status, type);
  }

  /** Names of the pods that the last pass created. */
  public get created(): string[] {
    return this.actions.flatMap((action) => (action.type === 'createPod' ? [action.replica.podName] : []));
  }

  /** Names of the pods that the last pass deleted. */
  public get deleted(): string[] {
    return this.actions.flatMap((action) => (action.type === 'deletePod' ? [action.name] : []));
  }

  /** What the planner answers now, without any of it being done. */
  public plan(problems: readonly Problem[] = []): Plan {
    return plan({
      job: this.job, pods: [...this.pods.values()], hookPods: [...this.hookPods.values()], services: this.services,
      problems, now: this.now, ...this.observed,
    });
  }

  /** What the planner answers to any observation. */
  public planAt(observation: Observation): Plan {
    return plan(observation);
  }

  /** One pass of the operator: decisions are written, then the actions are done. */
  public pass(problems: readonly Problem[] = []): this {
    for (let planned = this.plan(problems); ; planned = this.plan(problems)) {
      this.job = { ...this.job, status: planned.status };
      this.events.push(...planned.events);
      this.actions = planned.actions;
      this.requeueAfterMs = planned.requeueAfterMs;
      if (!planned.decided) {
        planned.actions.forEach((action) => this.carryOut(action));
        return this;
      }
    }
  }

  /** Passes until the planner wants nothing more. */
  public settle(): this {
    do {
      this.pass();
    } while (this.actions.length > 0);
    return this;
  }

  /** Changes pods: `set((pod) => pod.failed(1), 'train-master')`. */
  public set(change: (pod: PodBuilder) => PodBuilder, ...names: string[]): this {
    for (const name of names) {
      const pod = this.pods.get(name);
      if (pod === undefined) {
        throw new Error(`there is no pod ${name}; there are: ${[...this.pods.keys()].join(', ')}`);
      }
      this.pods.set(name, change(makePod(name).uid(pod.uid).attempt(pod.attempt)).build());
    }
    return this;
  }

  /** Changes all pods. */
  public setAll(change: (pod: PodBuilder) => PodBuilder): this {
    return this.set(change, ...this.pods.keys());
  }

  /** Changes the pod of a hook. */
  public setHook(change: (pod: PodBuilder) => PodBuilder, name: string): this {
    const pod = this.hookPods.get(name);
    if (pod === undefined) {
      throw new Error(`there is no pod ${name} of a hook; there are: ${[...this.hookPods.keys()].join(', ')}`);
    }
    this.hookPods.set(name, { ...change(makePod(name).uid(pod.uid)).build(), hook: pod.hook });
    return this;
  }

  /** Pods vanish. */
  public lose(...names: string[]): this {
    names.forEach((name) => this.pods.delete(name) || this.hookPods.delete(name));
    return this;
  }

  /** All pods are created and run. */
  public run(): this {
    return this.settle().setAll((pod) => pod.running()).pass();
  }

  public after(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  /** Changes the spec, as a user does. */
  public edit(change: Partial<ObservedJob['spec']>): this {
    this.job = { ...this.job, generation: this.job.generation + 1, spec: { ...this.job.spec, ...change } };
    return this;
  }

  private carryOut(action: Action): void {
    switch (action.type) {
      case 'ensureObjects':
        this.services = serviceNames(resolveTrainingJob(this.job.name, this.job.spec));
        break;
      case 'createPod': {
        const { podName } = action.replica;
        if (this.pods.has(podName)) {
          throw new Error(`${podName} exists and is created again`);
        }
        this.pods.set(podName, makePod(podName).uid(`uid-${++this.uids}`).attempt(action.attempt).build());
        break;
      }
      case 'createHookPod': {
        const name = hookPodName(this.job, action.hook, action.tries);
        if (this.hookPods.has(name)) {
          throw new Error(`${name} exists and is created again`);
        }
        this.hookPods.set(name, { ...makePod(name).uid(`uid-${++this.uids}`).build(), hook: action.hook });
        break;
      }
      case 'deletePod':
        if (this.hookPods.get(action.name)?.uid === action.uid) {
          this.hookPods.delete(action.name);
          break;
        }
        if (this.pods.get(action.name)?.uid !== action.uid) {
          throw new Error(`${action.name} is deleted under the uid ${action.uid}, and has ${this.pods.get(action.name)?.uid}`);
        }
        this.pods.delete(action.name);
        break;
      case 'lookAtNode':
        break;
      default:
        this.isDeleted = true;
    }
  }
}
