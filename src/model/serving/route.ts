/**
 * A route of the Gateway API in front of services in Standard mode: parts of the traffic for each, headers, and a copy of it for a shadow. KServe
 * 0.20 makes the Deployments of a canary and does not split traffic (0.21 does), so this is also how a canary gets its part.
 * @see https://gateway-api.sigs.k8s.io/reference/spec/#httproute
 */
import { HOST_NAME } from '../names';
import { ViolationCollector, type Violation } from '../violations';

/** Part of the traffic for one Kubernetes Service. */
export interface RouteBackendSpec {
  readonly serviceName: string;
  readonly weight: number;
}

/** One rule: which requests, and where they go. */
export interface RouteRuleSpec {
  /** Headers that a request has to have; none for all other requests. */
  readonly headers?: { readonly [name: string]: string };
  readonly backends: readonly RouteBackendSpec[];
}

/** Services that get a copy of each request, and whose answers are discarded. */
export interface RouteShadowSpec {
  readonly serviceName: string;
  readonly percent: number;
}

export interface GatewaySpec {
  readonly name: string;
  readonly namespace?: string;
  readonly sectionName?: string;
}

export interface InferenceRouteSpec {
  readonly gateways: readonly GatewaySpec[];
  readonly hostnames: readonly string[];
  readonly pathPrefix?: string;
  readonly timeoutSeconds?: number;
  readonly rules: readonly RouteRuleSpec[];
  readonly shadows: readonly RouteShadowSpec[];
}

/** Most backends of a rule, and most filters. */
const MAX_BACKENDS = 16;

const MAX_HOSTNAMES = 16;

const MAX_WEIGHT = 1_000_000;

const HEADER = /^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$/;

export function validateInferenceRoute(spec: InferenceRouteSpec): Violation[] {
  const violations = new ViolationCollector();
  if (spec.gateways.length === 0) {
    violations.add('spec.parentRefs', undefined, 'is required: a route without a gateway gets no requests. Name one.');
  }
  spec.hostnames.forEach((hostname, index) => {
    violations.form(`spec.hostnames[${index}]`, hostname, HOST_NAME, 'must be a host name in lower case, without scheme, port or path; *.example.org for all below one.');
  });
  if (spec.hostnames.length > MAX_HOSTNAMES) {
    violations.add('spec.hostnames', spec.hostnames.length, `a route has at most ${MAX_HOSTNAMES} host names. Create a second route.`);
  }
  if (spec.pathPrefix !== undefined && (!spec.pathPrefix.startsWith('/') || spec.pathPrefix.includes('//'))) {
    violations.add('spec.rules[].matches[].path.value', spec.pathPrefix, 'must start with \'/\' and must not contain \'//\'.');
  }
  if (spec.rules.every(({ backends }) => backends.length === 0)) {
    violations.add('spec.rules', undefined, 'no service receives requests. Add one with addService.');
  }
  spec.rules.forEach((rule, index) => validateRule(rule, `spec.rules[${index}]`, violations));
  for (const { serviceName, percent } of spec.shadows) {
    violations.whole('spec.rules[].filters[].requestMirror.percent', percent, 0, 100, `: the percentage of requests that is mirrored to '${serviceName}'.`);
  }
  return violations.violations;
}

function validateRule({ headers = {}, backends }: RouteRuleSpec, path: string, violations: ViolationCollector): void {
  for (const name of Object.keys(headers)) {
    violations.form(`${path}.matches[].headers[].name`, name, HEADER, 'is not a valid header name: letters, digits and hyphens.');
  }
  if (backends.length > MAX_BACKENDS) {
    violations.add(`${path}.backendRefs`, backends.length, `a rule has at most ${MAX_BACKENDS} services, including canaries. Create a second route.`);
  }
  backends.forEach(({ serviceName, weight }, index) => violations.whole(`${path}.backendRefs[${index}].weight`, weight, 0, MAX_WEIGHT, `: the weight of '${serviceName}'.`));
  if (backends.length > 0 && backends.every(({ weight }) => weight === 0)) {
    violations.add(`${path}.backendRefs`, 0, 'no service has a weight, so every request is answered with 500. Give one a weight.');
  }
}
