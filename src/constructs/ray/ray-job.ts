import { ApiObject, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { RayQueueOptions } from './cluster/cluster-options';
import { addRayObject, RayClusterParts } from './cluster/cluster-parts';
import { rayQueueSpec } from './cluster/cluster-to-spec';
import type { RayWorkerGroup } from './cluster/group';
import type { RayJobOptions } from './job-options';
import { onClusterProblems, rayJobSpec } from './to-spec';
import { constructRayJobSpec } from '../../manifests/ray/job';
import type { NamedRayJob } from '../../model/ray/job';
import { validateRayJob } from '../../model/ray/validation';
import { attachRayMonitoring } from '../monitoring/attach';
import type { RayMonitored } from '../monitoring/monitoring-options';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Properties of a `RayJob`. */
export interface RayJobProps extends kplus.ResourceProps, RayJobOptions, RayQueueOptions, RayMonitored {
  /**
   * Whether the job's cluster is deleted until this is false. Not in a queue, which controls it.
   * @default false
   */
  readonly suspend?: boolean;
}

/**
 * A program on a Ray cluster, on KubeRay 1.7. The cluster is created for the program, or already exists.
 *
 * To run a program on several nodes that does not use Ray itself, use a `TrainingJob` with `Engine.ray`.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 * @example
 * import { Accelerator } from 'trainyard';
 * import { RayJob } from 'trainyard/ray';
 *
 * new RayJob(chart, 'Tune', {
 *   metadata: { name: 'tune' },
 *   entrypoint: 'python tune.py',
 *   cluster: {
 *     image: 'rayproject/ray:2.54.0',
 *     workerGroups: [{ name: 'l4', replicas: 2, accelerator: Accelerator.NVIDIA_L4.count(1) }],
 *   },
 * });
 */
export class RayJob extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'rayjobs';

  protected readonly apiObject: ApiObject;

  private readonly props: RayJobProps;
  private readonly parts?: RayClusterParts;

  public constructor(scope: Construct, id: string, props: RayJobProps) {
    super(scope, id);
    checkProps(this, 'RayJobProps', props);
    this.props = props;
    this.parts = props.cluster && new RayClusterParts(this, 'RayJob', props.cluster);
    this.apiObject = addRayObject(this, 'RayJob', props, this.parts?.spec, () => constructRayJobSpec(this.toSpec()));
    this.parts?.addRedis(this.apiObject);
    if (props.onCluster !== undefined) {
      this.node.addDependency(props.onCluster);
    }
    const monitored = { kind: 'RayJob', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace };
    attachRayMonitoring(this, monitored, props.monitoring, this.parts !== undefined);
    reportAtSynth(this, `RayJob '${this.name}'`, () => this.problems());
  }

  /** The worker groups of the job's own cluster, as a copy. */
  public get workerGroups(): RayWorkerGroup[] {
    return this.parts?.workerGroups ?? [];
  }

  /** Adds a worker group to the job's own cluster. @param group the group; its name must be new */
  public addWorkerGroup(group: RayWorkerGroup): void {
    checkTypes('RayJob.addWorkerGroup', 'RayWorkerGroup', group);
    if (this.parts === undefined) {
      throw new Error(`RayJob at '${this.node.path}': group '${group.name}' needs a cluster of the job's own, but the job runs on '${this.props.onCluster?.name ?? 'none'}'. `
        + 'Add the group to that cluster, or set cluster.');
    }
    this.parts.addWorkerGroup(group);
  }

  private toSpec(): NamedRayJob {
    const { metadata, suspend } = this.props;
    return {
      name: this.name,
      spec: { ...rayJobSpec(this.props, this.parts?.spec), suspend },
      queue: rayQueueSpec(this.props),
      annotations: metadata?.annotations,
    };
  }

  private problems(): Problem[] {
    return [
      ...validateRayJob(this.toSpec()),
      ...onClusterProblems(this.props.onCluster, this.metadata.namespace),
      ...(this.parts?.problems('spec.rayClusterSpec', this.metadata.namespace) ?? []),
    ];
  }
}
