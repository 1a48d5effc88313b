import { ApiObject, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { RayClusterOptions, RayQueueOptions } from './cluster/cluster-options';
import { addRayObject, RayClusterParts, sameNamespace } from './cluster/cluster-parts';
import { rayQueueSpec } from './cluster/cluster-to-spec';
import type { ExposeDashboardOptions } from './cluster/dashboard';
import type { RayClusterUpgrade } from './enums';
import type { RayWorkerGroup } from './cluster/group';
import { constructRayClusterSpec, RAY_API_VERSION } from '../../manifests/ray/cluster';
import { headServiceName } from '../../model/ray/names';
import type { StandaloneRayCluster } from '../../model/ray/spec';
import { validateRayCluster } from '../../model/ray/validation';
import { HEAD_PORTS } from '../../model/ray/variables';
import { attachRayMonitoring } from '../monitoring/attach';
import type { RayMonitored } from '../monitoring/monitoring-options';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** A Ray cluster of the program, or an existing one. */
export interface IRayCluster extends kplus.IResource {
  /** Name of the head's Service. */
  readonly headServiceName: string;
}

/** Properties of a `RayCluster`. */
export interface RayClusterProps extends kplus.ResourceProps, RayClusterOptions, RayQueueOptions, RayMonitored {
  /** Whether the cluster has no pods. Not in a queue, which controls it. @default false */
  readonly suspend?: boolean;
  /** What happens to pods when the spec changes. @default RayClusterUpgrade.NONE */
  readonly upgrade?: RayClusterUpgrade;
}

/**
 * A Ray cluster on KubeRay 1.7 that runs until you delete it: a head, worker groups, an autoscaler.
 *
 * Synth checks all rules, including those that KubeRay reports only in an event.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/raycluster-quick-start.html
 * @example
 * import { Accelerator } from 'trainyard';
 * import { RayCluster } from 'trainyard/ray';
 *
 * new RayCluster(chart, 'Ray', {
 *   metadata: { name: 'team' },
 *   image: 'rayproject/ray:2.54.0',
 *   autoscaler: {},
 *   workerGroups: [{ name: 'l4', accelerator: Accelerator.NVIDIA_L4.count(1), maxReplicas: 4 }],
 * });
 */
export class RayCluster extends kplus.Resource implements IRayCluster {
  /** An existing cluster. @param name name of the RayCluster */
  public static fromRayClusterName(scope: Construct, id: string, name: string): IRayCluster {
    return new ImportedRayCluster(scope, id, name);
  }

  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'rayclusters';

  protected readonly apiObject: ApiObject;

  private readonly props: RayClusterProps;
  private readonly parts: RayClusterParts;

  public constructor(scope: Construct, id: string, props: RayClusterProps) {
    super(scope, id);
    checkProps(this, 'RayClusterProps', props);
    this.props = props;
    this.parts = new RayClusterParts(this, 'RayCluster', props);
    this.apiObject = addRayObject(this, 'RayCluster', props, this.parts.spec, () => constructRayClusterSpec(this.toSpec()));
    this.parts.addRedis(this.apiObject);
    attachRayMonitoring(this, { kind: 'RayCluster', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace }, props.monitoring);
    reportAtSynth(this, `RayCluster '${this.name}'`, () => this.problems());
  }

  /** Name of the head's Service. */
  public get headServiceName(): string {
    return headServiceName(this.name);
  }

  /** Address for Ray clients in the same namespace: `ray.init(ADDRESS)`. */
  public get clientAddress(): string {
    return `ray://${this.headServiceName}:${HEAD_PORTS.client}`;
  }

  /** URL of the dashboard and the jobs API, in the same namespace. */
  public get dashboardUrl(): string {
    return `http://${this.headServiceName}:${HEAD_PORTS.dashboard}`;
  }

  /** The worker groups, as a copy. */
  public get workerGroups(): RayWorkerGroup[] {
    return this.parts.workerGroups;
  }

  /** Adds a worker group. @param group the group; its name must be new */
  public addWorkerGroup(group: RayWorkerGroup): void {
    checkTypes('RayCluster.addWorkerGroup', 'RayWorkerGroup', group);
    this.parts.addWorkerGroup(group);
  }

  /** Adds a Service `NAME-dashboard` that exposes only the dashboard of the head. */
  public exposeDashboard(options: ExposeDashboardOptions = {}): ApiObject {
    const { serviceType, port = 80, annotations, sourceRanges } = options;
    if (sourceRanges !== undefined && serviceType !== kplus.ServiceType.LOAD_BALANCER) {
      throw new Error(`RayCluster at '${this.node.path}': sourceRanges (${sourceRanges.join(', ')}) are addresses that a load balancer admits, but the Service of the `
        + `dashboard is a ${serviceType ?? 'ClusterIP'}. Use ServiceType.LOAD_BALANCER, or remove them.`);
    }
    return new PlainApiObject(this, 'Dashboard', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `${this.name}-dashboard`, annotations, ...sameNamespace(this.apiObject) },
      spec: {
        type: serviceType ?? kplus.ServiceType.CLUSTER_IP,
        selector: { 'ray.io/cluster': this.name, 'ray.io/node-type': 'head' },
        ports: [{ name: 'dashboard', port, targetPort: HEAD_PORTS.dashboard }],
        ...(sourceRanges !== undefined && { loadBalancerSourceRanges: [...sourceRanges] }),
      },
    });
  }

  private toSpec(): StandaloneRayCluster {
    const { suspend, upgrade, metadata } = this.props;
    return {
      name: this.name,
      cluster: this.parts.spec,
      queue: rayQueueSpec(this.props),
      suspend,
      upgradeStrategy: upgrade,
      annotations: metadata?.annotations,
    };
  }

  private problems(): Problem[] {
    return [...validateRayCluster(this.toSpec()), ...this.parts.problems('spec', this.metadata.namespace)];
  }
}

/** An existing cluster. */
class ImportedRayCluster extends Construct implements IRayCluster {
  public readonly apiVersion: string = RAY_API_VERSION;
  public readonly apiGroup: string = 'ray.io';
  public readonly kind: string = 'RayCluster';
  public readonly resourceType: string = 'rayclusters';

  public constructor(scope: Construct, id: string, public readonly name: string) {
    super(scope, id);
  }

  public get resourceName(): string {
    return this.name;
  }

  public get headServiceName(): string {
    return headServiceName(this.name);
  }
}
