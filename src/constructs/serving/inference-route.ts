import { ApiObject, Lazy, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { InferenceService } from './inference-service';
import { ServingMode } from './serving-mode';
import { HTTP_ROUTE_API_VERSION, constructInferenceRouteSpec } from '../../manifests/serving/inference-route';
import { validateInferenceRoute, type InferenceRouteSpec, type RouteBackendSpec } from '../../model/serving/route';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Gateway of the Gateway API. */
export interface GatewayReference {
  /** Name of the Gateway. */
  readonly name: string;
  /** Namespace of the Gateway. @default - the route's */
  readonly namespace?: string;
  /** Listener of the Gateway. @default - all that allow the route */
  readonly sectionName?: string;
}

/** Properties of an `InferenceRoute`. */
export interface InferenceRouteProps extends kplus.ResourceProps {
  /** Gateways that requests come through. */
  readonly gateways: GatewayReference[];
  /** Host names of the requests. @default - those of the gateway */
  readonly hostnames?: string[];
  /** How paths of the requests begin. @default - all paths */
  readonly pathPrefix?: string;
  /** Longest time of a request. @default - the gateway's */
  readonly timeout?: Duration;
}

/** Options of `InferenceRoute.addService`. */
export interface RouteServiceOptions {
  /** Part of the requests, against the other services of the same headers. @default 1 */
  readonly weight?: number;

  /**
   * Headers that a request has to have to reach this service. Requests without them go to the services without headers.
   * @default - all requests
   */
  readonly headers?: { readonly [name: string]: string };
}

/** Options of `InferenceRoute.addShadow`. */
export interface RouteShadowOptions {
  /** Part of the requests that are copied, 0 to 100. @default 100 */
  readonly percent?: number;
}

interface RoutedService extends RouteServiceOptions {
  readonly service: InferenceService;
}

/**
 * A route through a gateway to services in `ServingMode.STANDARD`: shares of the traffic for A/B tests, headers, and copies of requests for a shadow.
 * A canary of a service gets its part of the service's share, even if it is added later.
 * @see https://gateway-api.sigs.k8s.io/guides/traffic-splitting/
 * @example
 * import { InferenceRoute, InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode } from 'trainyard/serving';
 *
 * const service = new InferenceService(chart, 'Fraud', {
 *   mode: ServingMode.STANDARD,
 *   predictor: Predictor.model({ format: ModelFormat.LIGHTGBM, storage: ModelStorage.gcs('models', 'fraud/3') }),
 * });
 * new InferenceRoute(chart, 'Route', { gateways: [{ name: 'public' }] }).addService(service);
 */
export class InferenceRoute extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'httproutes';

  protected readonly apiObject: ApiObject;

  private readonly props: InferenceRouteProps;
  private readonly services: RoutedService[] = [];
  private readonly shadows: { readonly service: InferenceService; readonly percent: number }[] = [];

  public constructor(scope: Construct, id: string, props: InferenceRouteProps) {
    super(scope, id);
    checkProps(this, 'InferenceRouteProps', props);
    this.props = props;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: HTTP_ROUTE_API_VERSION,
      kind: 'HTTPRoute',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructInferenceRouteSpec(this.toSpec()) }),
    });
    reportAtSynth(this, `InferenceRoute '${this.name}'`, () => this.problems());
  }

  /** Sends requests to a service. @param service service of the route's namespace */
  public addService(service: InferenceService, options: RouteServiceOptions = {}): void {
    checkTypes('InferenceRoute.addService', 'RouteServiceOptions', options);
    this.refuseKnative(service);
    this.services.push({ service, ...options });
    this.node.addDependency(service);
  }

  /**
   * Sends a copy of each request to a service, whose answers are ignored.
   * @param service service of the route's namespace
   */
  public addShadow(service: InferenceService, options: RouteShadowOptions = {}): void {
    checkTypes('InferenceRoute.addShadow', 'RouteShadowOptions', options);
    this.refuseKnative(service);
    this.shadows.push({ service, percent: options.percent ?? 100 });
    this.node.addDependency(service);
  }

  private refuseKnative(service: InferenceService): void {
    if (service.mode !== ServingMode.STANDARD) {
      throw new Error(`InferenceRoute at '${this.node.path}': cannot lead to InferenceService '${service.name}', because Knative's own gateway routes to its `
        + 'revisions. Use ServingMode.STANDARD, or an InferenceGraph.');
    }
  }

  private toSpec(): InferenceRouteSpec {
    const { gateways, hostnames = [], pathPrefix, timeout } = this.props;
    const groups = new Map<string, RoutedService[]>();
    for (const routed of this.services) {
      const key = JSON.stringify(Object.entries(routed.headers ?? {}).sort());
      groups.set(key, [...groups.get(key) ?? [], routed]);
    }
    return {
      gateways,
      hostnames,
      pathPrefix,
      timeoutSeconds: timeout?.toSeconds(),
      rules: [...groups.values()].map((services) => ({
        headers: hasHeaders(services[0]) ? services[0].headers : undefined,
        backends: backendsOf(services),
      })),
      shadows: this.shadows.map(({ service, percent }) => ({ serviceName: service.serviceName, percent })),
    };
  }

  private problems(): Problem[] {
    const problems: Problem[] = validateInferenceRoute(this.toSpec());
    for (const { service } of [...this.services, ...this.shadows]) {
      if (service.metadata.namespace !== this.metadata.namespace) {
        problems.push(`metadata.namespace: ${JSON.stringify(this.metadata.namespace)}: InferenceService '${service.name}' is in the namespace '${service.metadata.namespace}'. `
          + 'Put the route there.');
      }
      if (service._hasTransformer && service.canaries.some(({ phase }) => phase === 'serving')) {
        problems.push(`spec.rules[].backendRefs: "${service.name}": its transformer asks one predictor, so its canary would get no requests. Split traffic between two services.`);
      }
    }
    return problems;
  }
}

function hasHeaders({ headers }: RoutedService): boolean {
  return Object.keys(headers ?? {}).length > 0;
}

/** Services with their weights; where one of them has canaries, in hundredths of the weights. */
function backendsOf(services: readonly RoutedService[]): RouteBackendSpec[] {
  const servingCanaries = (service: InferenceService) => (service._hasTransformer ? [] : service.canaries.filter(({ phase }) => phase === 'serving'));
  const factor = services.some(({ service }) => servingCanaries(service).length > 0) ? 100 : 1;
  return services.flatMap(({ service, weight = 1 }) => {
    const canaries = servingCanaries(service).map(({ name, trafficPercent }) => ({
      serviceName: service._predictorService(name), weight: weight * trafficPercent,
    }));
    const ofCanaries = canaries.reduce((sum, canary) => sum + canary.weight, 0);
    return [{ serviceName: service.serviceName, weight: weight * factor - ofCanaries }, ...canaries];
  });
}
