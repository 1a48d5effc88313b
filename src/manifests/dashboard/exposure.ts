/** Access to the dashboard: Service, NetworkPolicy, Ingress and HTTPRoute. */
import { DASHBOARD_LABELS, DASHBOARD_NAME, DASHBOARD_PORT } from './settings';
import type { DashboardSpec } from '../../model/dashboard/dashboard';
import { namespacesNamed } from '../job/network-policy';
import type { Manifest } from '../kubernetes';

type WithSpec = Manifest & { readonly spec: object };

/** Port of the Service. */
const SERVICE_PORT = 80;

export function constructDashboardService(
  namespace: string, { type, annotations }: { readonly type?: string; readonly annotations?: { readonly [name: string]: string } },
): WithSpec {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS, ...(annotations && { annotations }) },
    spec: {
      ...(type !== undefined && { type }),
      selector: DASHBOARD_LABELS,
      // The protocol for gateways and meshes.
      ports: [{ name: 'http', port: SERVICE_PORT, targetPort: 'http', appProtocol: 'http' }],
    },
  };
}

/**
 * Limits ingress to the pods: all clients if users bring tokens, and only the proxy if its headers name the users. Probes need no rule.
 */
export function constructDashboardNetworkPolicy({ namespace, auth }: Pick<DashboardSpec, 'namespace' | 'auth'>): WithSpec {
  const from = auth.kind === 'token' ? undefined : [
    ...(auth.proxyNamespaces.length === 0 ? [] : [{
      ...namespacesNamed(auth.proxyNamespaces), ...(auth.proxyLabels && { podSelector: { matchLabels: auth.proxyLabels } }),
    }]),
    ...auth.proxyAddresses.map((cidr) => ({ ipBlock: { cidr } })),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS },
    spec: {
      podSelector: { matchLabels: DASHBOARD_LABELS },
      policyTypes: ['Ingress'],
      ingress: [{ ...(from && { from }), ports: [{ port: DASHBOARD_PORT, protocol: 'TCP' }] }],
    },
  };
}

/** Settings of an Ingress. */
export interface DashboardIngressSpec {
  readonly host: string;
  readonly tlsSecretName?: string;
  readonly className?: string;
  readonly annotations?: { readonly [name: string]: string };
}

export function constructDashboardIngress(namespace: string, path: string, ingress: DashboardIngressSpec): WithSpec {
  const { host, tlsSecretName, className, annotations } = ingress;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS, ...(annotations && { annotations }) },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      ...(tlsSecretName !== undefined && { tls: [{ hosts: [host], secretName: tlsSecretName }] }),
      rules: [{
        host,
        http: { paths: [{ path, pathType: 'Prefix', backend: { service: { name: DASHBOARD_NAME, port: { name: 'http' } } } }] },
      }],
    },
  };
}

/** The Gateway for the HTTPRoute. */
export interface DashboardGatewaySpec {
  readonly host: string;
  readonly name: string;
  readonly namespace?: string;
  readonly sectionName?: string;
}

/** The HTTPRoute. The Gateway has the certificates. */
export function constructDashboardRoute(namespace: string, path: string, { host, name, namespace: of, sectionName }: DashboardGatewaySpec): WithSpec {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS },
    spec: {
      parentRefs: [{ name, ...(of !== undefined && { namespace: of }), ...(sectionName !== undefined && { sectionName }) }],
      hostnames: [host],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: [{ name: DASHBOARD_NAME, port: SERVICE_PORT }] }],
    },
  };
}
