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

/** A Gateway of the Gateway API. */
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
  /** Gateways of the route. */
  readonly gateways: GatewayReference[];
  /** Host names of requests. @default - those of the gateway */
  readonly hostnames?: string[];
  /** Path prefix of requests. @default - all paths */
  readonly pathPrefix?: string;
  /** Timeout of a request. @default - the gateway's */
  readonly timeout?: Duration;
}

/** Options of `InferenceRoute.addService`. */
export interface RouteServiceOptions {
  /** Weight among the services with the same headers. @default 1 */
  readonly weight?: number;

  /**
   * Headers that requests to this service must have. Requests without them go to the services without headers.
   * @default - all requests
   */
  readonly headers?: { readonly [name: string]: string };
}

/** Options of `InferenceRoute.addShadow`. */
export interface RouteShadowOptions {
  /** Percentage of the requests to copy, 0 to 100. @default 100 */
  readonly percent?: number;
}

interface RoutedService extends RouteServiceOptions {
  readonly service: InferenceService;
}

/**
 * A route through a gateway to services in `ServingMode.STANDARD`: traffic splits for A/B tests, headers, and copies of requests for a shadow.
 * A canary gets its part of its service's traffic, even if it is added later.
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

  /** Sends requests to a service. @param service service in the route's namespace */
  public addService(service: InferenceService, options: RouteServiceOptions = {}): void {
    checkTypes('InferenceRoute.addService', 'RouteServiceOptions', options);
    this.rejectKnative(service);
    this.services.push({ service, ...options });
    this.node.addDependency(service);
  }

  /**
   * Sends a copy of each request to a service, whose responses are ignored.
   * @param service service in the route's namespace
   */
  public addShadow(service: InferenceService, options: RouteShadowOptions = {}): void {
    checkTypes('InferenceRoute.addShadow', 'RouteShadowOptions', options);
    this.rejectKnative(service);
    this.shadows.push({ service, percent: options.percent ?? 100 });
    this.node.addDependency(service);
  }

  private rejectKnative(service: InferenceService): void {
    if (service.mode !== ServingMode.STANDARD) {
      throw new Error(`InferenceRoute at '${this.node.path}': cannot route to InferenceService '${service.name}', because Knative's own gateway routes to its `
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
          + 'Use the same namespace for both.');
      }
      if (service._hasTransformer && service.canaries.some(({ phase }) => phase === 'serving')) {
        problems.push(`spec.rules[].backendRefs: "${service.name}": its transformer calls only one predictor, so its canary would get no requests. Split traffic between two services.`);
      }
    }
    return problems;
  }
}

function hasHeaders({ headers }: RoutedService): boolean {
  return Object.keys(headers ?? {}).length > 0;
}

/** Services with their weights, in hundredths if one of them has canaries. */
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
