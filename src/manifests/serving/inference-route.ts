/**
 * HTTPRoute of the Gateway API in front of model servers. Everything in its lists is written out, defaults included: kubectl compares such lists as a
 * whole, and would always find a difference.
 */
import type { InferenceRouteSpec, RouteRuleSpec } from '../../model/serving/route';
import type { Fields } from '../../model/serving/spec';
import { plainObject } from '../plain-object';

/** `apiVersion` of an HTTPRoute. */
export const HTTP_ROUTE_API_VERSION = 'gateway.networking.k8s.io/v1';

/** What routes are attached to. */
export const GATEWAY = { group: 'gateway.networking.k8s.io', kind: 'Gateway' } as const;

/** Where requests go. */
export const SERVICE = { group: '', kind: 'Service' } as const;

export const ANY_PATH = { type: 'PathPrefix', value: '/' } as const;

/** Port of the Services that KServe creates. */
const SERVICE_PORT = 80;

/** `spec` of the route. Rules with headers come first, because the first matching rule takes a request. */
export function constructInferenceRouteSpec(spec: InferenceRouteSpec): Fields {
  const rules = [...spec.rules].filter(({ backends }) => backends.length > 0);
  const withHeaders = rules.filter(({ headers }) => headers !== undefined);
  const others = rules.filter(({ headers }) => headers === undefined);
  return plainObject({
    parentRefs: spec.gateways.map(({ name, namespace, sectionName }) => ({ ...GATEWAY, name, namespace, sectionName })),
    hostnames: spec.hostnames.length > 0 ? [...spec.hostnames] : undefined,
    rules: [...withHeaders, ...others].map((rule) => constructRule(rule, spec)),
  });
}

function constructRule({ headers, backends }: RouteRuleSpec, { pathPrefix, timeoutSeconds, shadows }: InferenceRouteSpec): Fields {
  const match = {
    path: pathPrefix === undefined ? ANY_PATH : { type: 'PathPrefix', value: pathPrefix },
    ...(headers !== undefined && { headers: Object.entries(headers).map(([name, value]) => ({ type: 'Exact', name, value })) }),
  };
  return {
    matches: [match],
    filters: shadows.length > 0 ? shadows.map(({ serviceName, percent }) => ({
      type: 'RequestMirror',
      // All requests need no percentage, which older gateways do not know.
      requestMirror: { backendRef: { ...SERVICE, name: serviceName, port: SERVICE_PORT }, percent: percent === 100 ? undefined : percent },
    })) : undefined,
    backendRefs: backends.map(({ serviceName, weight }) => ({ ...SERVICE, name: serviceName, port: SERVICE_PORT, weight })),
    timeouts: timeoutSeconds === undefined ? undefined : { request: `${timeoutSeconds}s` },
  };
}
