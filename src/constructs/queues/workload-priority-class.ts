import { Names } from 'cdk8s';
import { Construct } from 'constructs';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { clusterObject } from '../rendering/objects';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

const INT32 = 2 ** 31;

/** Properties of a `WorkloadPriorityClass`. */
export interface WorkloadPriorityClassProps {
  /** Name of the class, for `scheduling.queuePriorityClassName`. @default - derived from the id of the construct */
  readonly name?: string;
  /** Priority, a 32-bit integer. Higher values are admitted first and preempted last. */
  readonly value: number;
  /** Purpose, at most 2048 characters. @default - none */
  readonly description?: string;
}

/**
 * A priority in queues, independent of the priority of pods.
 * @see https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/
 * @example
 * import { WorkloadPriorityClass } from 'trainyard/queues';
 *
 * new WorkloadPriorityClass(chart, 'Deadline', { name: 'deadline', value: 1000, description: 'Urgent work.' });
 */
export class WorkloadPriorityClass extends Construct {
  /** Name of the class. */
  public readonly className: string;

  public constructor(scope: Construct, id: string, props: WorkloadPriorityClassProps) {
    super(scope, id);
    checkProps(this, 'WorkloadPriorityClassProps', props);
    const { value, description } = props;
    this.className = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    clusterObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind: 'WorkloadPriorityClass', metadata: { name: this.className }, value, description, spec: undefined,
    });
    reportAtSynth(this, `WorkloadPriorityClass '${this.className}'`, () => [
      ...(Number.isInteger(value) && value >= -INT32 && value < INT32 ? [] : [`value: ${value}: must be a whole number from ${-INT32} to ${INT32 - 1}.`]),
      ...((description ?? '').length <= 2048 ? [] : [`description: ${description!.length} characters: must be at most 2048.`]),
    ]);
  }
}
