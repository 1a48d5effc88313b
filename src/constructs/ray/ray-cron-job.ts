import { ApiObject, Chart, Lazy, type Cron } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { generateRayName, RayClusterParts } from './cluster/cluster-parts';
import type { RayJobOptions } from './job-options';
import { onClusterProblems, rayJobSpec } from './to-spec';
import { RAY_API_VERSION } from '../../manifests/ray/cluster';
import { constructRayCronJobSpec } from '../../manifests/ray/job';
import { validateRayCronJob, type NamedRayCronJob } from '../../model/ray/validation';
import { attachRayMonitoring } from '../monitoring/attach';
import type { RayMonitored } from '../monitoring/monitoring-options';
import { checkProps } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Properties of a `RayCronJob`. */
export interface RayCronJobProps extends kplus.ResourceProps, RayMonitored {
  /** When a job is created. */
  readonly schedule: Cron;
  /** Time zone of the schedule, such as `Europe/Berlin`. @default - the time zone of KubeRay's pod */
  readonly timeZone?: string;
  /** Whether to create no jobs. @default false */
  readonly suspend?: boolean;
  /** The job. */
  readonly job: RayJobOptions;
}

/**
 * A RayJob on a schedule. In KubeRay 1.7, it needs the feature gate `RayCronJob`.
 *
 * Jobs of a schedule have no labels, so Kueue ignores them. For a queue, use a `RayJob`.
 * @example
 * import { Cron } from 'cdk8s';
 * import { RayCluster, RayCronJob } from 'trainyard/ray';
 *
 * new RayCronJob(chart, 'Report', {
 *   metadata: { name: 'report' },
 *   schedule: Cron.daily(),
 *   timeZone: 'Europe/Berlin',
 *   job: { entrypoint: 'python report.py', onCluster: RayCluster.fromRayClusterName(chart, 'Team', 'team') },
 * });
 */
export class RayCronJob extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'raycronjobs';

  protected readonly apiObject: ApiObject;

  private readonly props: RayCronJobProps;
  private readonly parts?: RayClusterParts;

  public constructor(scope: Construct, id: string, props: RayCronJobProps) {
    super(scope, id);
    checkProps(this, 'RayCronJobProps', props);
    this.props = props;
    this.parts = props.job.cluster && new RayClusterParts(this, 'RayCronJob', props.job.cluster);
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: RAY_API_VERSION,
      kind: 'RayCronJob',
      metadata: { ...props.metadata, name: props.metadata?.name ?? generateRayName(this, 'RayCronJob') },
      spec: Lazy.any({ produce: () => constructRayCronJobSpec(this.toSpec()) }),
    });
    this.parts?.addRedis(this.apiObject);
    if (props.job.onCluster !== undefined) {
      this.node.addDependency(props.job.onCluster);
    }
    const monitored = { kind: 'RayCronJob', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace };
    attachRayMonitoring(this, monitored, props.monitoring, this.parts !== undefined);
    reportAtSynth(this, `RayCronJob '${this.name}'`, () => this.problems());
  }

  private toSpec(): NamedRayCronJob {
    const { schedule, timeZone, suspend, job } = this.props;
    return { name: this.name, schedule: schedule.expressionString, timeZone, suspend, job: rayJobSpec(job, this.parts?.spec) };
  }

  private problems(): Problem[] {
    return [
      ...validateRayCronJob(this.toSpec()),
      ...onClusterProblems(this.props.job.onCluster, this.metadata.namespace),
      ...(this.parts?.problems('spec.jobTemplate.rayClusterSpec', this.metadata.namespace) ?? []),
    ];
  }
}
