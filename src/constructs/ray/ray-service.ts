import { ApiObject, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { addRayObject, RayClusterParts } from './cluster/cluster-parts';
import { rayQueueSpec } from './cluster/cluster-to-spec';
import type { RayWorkerGroup } from './cluster/group';
import type { ServeApplication } from './serve';
import { serveApplicationSpec } from './to-spec';
import type { RayServiceProps } from './service-props';
import { atLeast, BUDGET_API_VERSION } from '../../manifests/job/disruption-budget';
import { constructRayServiceSpec, minWorkersOf, rayServiceAnnotations, serviceWorkerLabels } from '../../manifests/ray/service';
import { headServiceName, serveServiceName } from '../../model/ray/names';
import type { NamedRayService, RayServiceSpec } from '../../model/ray/service';
import { validateRayService } from '../../model/ray/validation';
import { LEAST_REPLICAS_OF_BUDGET } from '../../model/serving/disruptions';
import { HEAD_PORTS } from '../../model/ray/variables';
import { attachRayMonitoring } from '../monitoring/attach';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/**
 * Applications of Ray Serve with one Service, on KubeRay 1.7. After a change, a new cluster starts and replaces the old one when it is ready, so that
 * no request is lost. With `faultTolerance`, no request is lost either if the head fails.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayservice-quick-start.html
 * @example
 * import { RayService } from 'trainyard/ray';
 *
 * new RayService(chart, 'Echo', {
 *   metadata: { name: 'echo' },
 *   cluster: { image: 'rayproject/ray:2.54.0' },
 *   applications: [{ name: 'echo', importPath: 'echo:app' }],
 * });
 */
export class RayService extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'rayservices';

  protected readonly apiObject: ApiObject;

  private readonly props: RayServiceProps;
  private readonly parts: RayClusterParts;
  private readonly _applications: ServeApplication[] = [];

  public constructor(scope: Construct, id: string, props: RayServiceProps) {
    super(scope, id);
    checkProps(this, 'RayServiceProps', props);
    this.props = props;
    this.parts = new RayClusterParts(this, 'RayService', props.cluster);
    const spec = () => constructRayServiceSpec(this.toSpec(), this.hasBudget);
    this.apiObject = addRayObject(this, 'RayService', props, this.parts.spec, spec, rayServiceAnnotations(this.serviceSpec()));
    this.addBudget();
    this.parts.addRedis(this.apiObject);
    (props.applications ?? []).forEach((application) => this.addApplication(application));
    attachRayMonitoring(this, { kind: 'RayService', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace }, props.monitoring);
    reportAtSynth(this, `RayService '${this.name}'`, () => this.problems());
  }

  /** Name of the applications' Service, which always selects the serving cluster. */
  public get serveServiceName(): string {
    return serveServiceName(this.name);
  }

  /** Name of the Service of the serving cluster's head. */
  public get headServiceName(): string {
    return headServiceName(this.name);
  }

  /** URL of the applications, in the same namespace. */
  public get serveUrl(): string {
    return `http://${this.serveServiceName}:${this.props.http?.port ?? HEAD_PORTS.serve}`;
  }

  /** The applications, as a copy. */
  public get applications(): ServeApplication[] {
    return [...this._applications];
  }

  /** The worker groups, as a copy. */
  public get workerGroups(): RayWorkerGroup[] {
    return this.parts.workerGroups;
  }

  /**
   * Adds an application. It starts on the serving cluster, without a new one.
   * @param application the application; its name and its path must be new
   */
  public addApplication(application: ServeApplication): void {
    checkTypes('RayService.addApplication', 'ServeApplication', application);
    if (this._applications.some(({ name }) => name === application.name)) {
      throw new Error(`RayService at '${this.node.path}': already has an application '${application.name}'. Use another name.`);
    }
    this._applications.push(application);
  }

  /** Adds a worker group. @param group the group; its name must be new */
  public addWorkerGroup(group: RayWorkerGroup): void {
    checkTypes('RayService.addWorkerGroup', 'RayWorkerGroup', group);
    this.parts.addWorkerGroup(group);
    this.addBudget();
  }

  private get hasBudget(): boolean {
    return this.node.tryFindChild('DisruptionBudget') !== undefined;
  }

  /** Kubernetes does not know how many workers KubeRay wants, so the budget has an absolute minimum. */
  private addBudget(): void {
    if (this.props.disruptionBudget === false || this.hasBudget || minWorkersOf(this.serviceSpec()) < LEAST_REPLICAS_OF_BUDGET) {
      return;
    }
    const { namespace } = this.props.metadata ?? {};
    new PlainApiObject(this, 'DisruptionBudget', {
      apiVersion: BUDGET_API_VERSION,
      kind: 'PodDisruptionBudget',
      metadata: { name: `${this.name}-workers`, ...(namespace !== undefined && { namespace }) },
      spec: Lazy.any({ produce: () => atLeast(minWorkersOf(this.serviceSpec()) - 1, serviceWorkerLabels(this.name)) }),
    });
  }

  private serviceSpec(): RayServiceSpec {
    const { upgrade, clusterDeletionDelay, excludeHead, suspend, initializingTimeout, serviceType, serviceAnnotations } = this.props;
    const { proxyLocation, http, serveConfig } = this.props;
    return {
      serve: {
        proxyLocation,
        httpPort: http?.port,
        requestTimeoutSeconds: http?.requestTimeout?.toSeconds(),
        keepAliveSeconds: http?.keepAlive?.toSeconds(),
        more: serveConfig,
        applications: this._applications.map(serveApplicationSpec),
      },
      cluster: this.parts.spec,
      upgrade: upgrade?._toSpec(),
      clusterDeletionDelaySeconds: clusterDeletionDelay?.toSeconds(),
      excludeHead,
      suspend,
      initializingTimeoutSeconds: initializingTimeout?.toSeconds(),
      serviceType,
      serviceAnnotations,
    };
  }

  private toSpec(): NamedRayService {
    return { name: this.name, spec: this.serviceSpec(), queue: rayQueueSpec(this.props), annotations: this.props.metadata?.annotations };
  }

  private problems(): Problem[] {
    return [...validateRayService(this.toSpec()), ...this.parts.problems('spec.rayClusterConfig', this.metadata.namespace)];
  }
}
