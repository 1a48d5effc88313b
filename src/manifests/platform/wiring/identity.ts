/**
 * Authentication of users. Kubeflow's applications read the user from the headers `kubeflow-userid` and `kubeflow-groups`, which the ingress gateway
 * sets from a verified token.
 * @see https://dexidp.io/docs/connectors/
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/configure-gateway-resources#configure_iap
 */
import type { ComponentWiring } from './additions';
import type { PlatformObject } from '../platform-object';
import { ANY_PATH, GATEWAY, SERVICE } from '../../serving/inference-route';
import type { ChartValues } from '../../../model/catalogue/types';
import { DEX_ADDRESS, dexIssuer } from '../../../model/platform/dex';
import type { PatchSpec, PlatformSpec, TlsSpec } from '../../../model/platform/spec';

/** A variable of a container, from a Secret. */
export function secretVariable(name: string, secretName: string, key: string): object {
  return { name, valueFrom: { secretKeyRef: { name: secretName, key } } };
}

/** Variables of the only container of a Deployment. Lists of variables are merged by their names. */
function variables(deployment: string, namespace: string, env: readonly object[]): PatchSpec[] {
  return env.length === 0 ? [] : [{
    patch: {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: deployment, namespace },
      spec: { template: { spec: { containers: [{ name: deployment, env }] } } },
    },
  }];
}

/** Dex with connectors of the program. */
export function wireDex(spec: PlatformSpec): ComponentWiring {
  const { identity } = spec;
  if (identity.kind !== 'dex') {
    return {};
  }
  const { connectors, secretName } = identity;
  const issuer = dexIssuer(spec);
  const withCallback = (type: string, config: ChartValues) => (type === 'oidc' ? { redirectURI: `${issuer}/callback`, ...config } : config);
  const config = {
    issuer,
    storage: { type: 'kubernetes', config: { inCluster: true } },
    web: { http: '0.0.0.0:5556' },
    logger: { level: 'info', format: 'text' },
    oauth2: { skipApprovalScreen: true },
    enablePasswordDB: false,
    staticClients: [{ idEnv: 'OIDC_CLIENT_ID', redirectURIs: ['/oauth2/callback'], name: 'Dex Login Application', secretEnv: 'OIDC_CLIENT_SECRET' }],
    connectors: connectors.map(({ type, id, name, config: own }) => ({ type, id, name, config: withCallback(type, own) })),
  };
  // The published user is kept if there are no connectors.
  const configMap: PatchSpec[] = connectors.length === 0 ? [] : [{
    patch: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dex', namespace: 'auth' }, data: { 'config.yaml': `${JSON.stringify(config, undefined, 2)}\n` } },
  }];
  const env = [
    // Variables override those of `envFrom`, which are the published ones.
    ...(secretName === undefined ? [] : [secretVariable('OIDC_CLIENT_ID', secretName, 'client-id'), secretVariable('OIDC_CLIENT_SECRET', secretName, 'client-secret')]),
    ...connectors.flatMap(({ secrets }) => Object.entries(secrets).map(([name, { secretName: from, key }]) => secretVariable(name, from, key))),
  ];
  return { dex: { patches: [...configMap, ...variables('dex', 'auth', env)] } };
}

/** oauth2-proxy with the platform's own cookie secret, and with Dex's issuer, which Istio's ingress gateway verifies too. */
export function wireOauth2Proxy(spec: PlatformSpec): ComponentWiring {
  const { identity, domain } = spec;
  const secretName = identity.kind === 'dex' ? identity.secretName : undefined;
  const env = secretName === undefined ? [] : [
    secretVariable('OAUTH2_PROXY_CLIENT_ID', secretName, 'client-id'),
    secretVariable('OAUTH2_PROXY_CLIENT_SECRET', secretName, 'client-secret'),
    secretVariable('OAUTH2_PROXY_COOKIE_SECRET', secretName, 'cookie-secret'),
  ];
  // `valueFrom: null` because the upstream variable has one, and Kubernetes allows no two sources.
  const secure = domain === undefined || domain.tls.kind === 'none' ? [] : [{ name: 'OAUTH2_PROXY_COOKIE_SECURE', value: 'true', valueFrom: null }];
  const issuer = dexIssuer(spec);
  if (issuer === DEX_ADDRESS) {
    return { 'oauth2-proxy': { patches: variables('oauth2-proxy', 'oauth2-proxy', [...env, ...secure]) } };
  }
  const gateway: PatchSpec = {
    target: { group: 'security.istio.io', kind: 'RequestAuthentication', name: 'dex-jwt' },
    patch: [{ op: 'replace', path: '/spec/jwtRules/0/issuer', value: issuer }, { op: 'add', path: '/spec/jwtRules/0/jwksUri', value: `${DEX_ADDRESS}/keys` }],
  };
  const all = [...env, ...secure, { name: 'OAUTH2_PROXY_OIDC_ISSUER_URL', value: issuer }];
  return { 'oauth2-proxy': { patches: [...variables('oauth2-proxy', 'oauth2-proxy', all), gateway] } };
}

const GATEWAY_PODS = { matchLabels: { istio: 'ingressgateway' } };

const NAMESPACE = 'istio-system';

/** Google's load balancer with IAP, and verification of its tokens at the ingress gateway, because requests can bypass the load balancer. */
export function wireIap({ identity, domain }: PlatformSpec): ComponentWiring {
  if (identity.kind !== 'iap' || domain === undefined) {
    return {};
  }
  const { audience, hostedDomain } = identity;
  const metadata = (name: string) => ({ name, namespace: NAMESPACE });
  const service = { group: '', kind: 'Service', name: 'istio-ingressgateway' };
  const claims = hostedDomain === undefined ? [] : [{ key: 'request.auth.claims[hd]', notValues: [hostedDomain] }];
  const certificateMap = domain.tls.kind === 'certificate-map' ? domain.tls.name : undefined;
  const objects: PlatformObject[] = [
    {
      apiVersion: 'security.istio.io/v1', kind: 'RequestAuthentication', metadata: metadata('iap-jwt'),
      spec: {
        selector: GATEWAY_PODS,
        jwtRules: [{
          issuer: 'https://cloud.google.com/iap', jwksUri: 'https://www.gstatic.com/iap/verify/public_key-jwk', audiences: [audience],
          fromHeaders: [{ name: 'x-goog-iap-jwt-assertion' }], forwardOriginalToken: true, outputClaimToHeaders: [{ header: 'kubeflow-userid', claim: 'email' }],
        }],
      },
    },
    {
      apiVersion: 'security.istio.io/v1', kind: 'AuthorizationPolicy', metadata: metadata('iap-required'),
      spec: {
        selector: GATEWAY_PODS, action: 'DENY',
        rules: [{ from: [{ source: { notRequestPrincipals: ['*'] } }] }, ...claims.map((condition) => ({ when: [condition] }))],
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway',
      metadata: { ...metadata('kubeflow-external'), ...(certificateMap !== undefined && { annotations: { 'networking.gke.io/certmap': certificateMap } }) },
      spec: {
        gatewayClassName: 'gke-l7-global-external-managed',
        listeners: [{ name: 'https', protocol: 'HTTPS', port: 443, hostname: domain.host, allowedRoutes: { namespaces: { from: 'Same' } } }],
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: metadata('kubeflow-external'),
      spec: {
        parentRefs: [{ ...GATEWAY, name: 'kubeflow-external' }],
        hostnames: [domain.host],
        rules: [{ matches: [{ path: ANY_PATH }], backendRefs: [{ ...SERVICE, name: 'istio-ingressgateway', port: 80, weight: 1 }] }],
      },
    },
    {
      apiVersion: 'networking.gke.io/v1', kind: 'GCPBackendPolicy', metadata: metadata('kubeflow-iap'),
      spec: { default: { iap: { enabled: true } }, targetRef: service },
    },
    {
      apiVersion: 'networking.gke.io/v1', kind: 'HealthCheckPolicy', metadata: metadata('kubeflow-gateway'),
      spec: { default: { config: { type: 'HTTP', httpHealthCheck: { port: 15021, requestPath: '/healthz/ready' } } }, targetRef: service },
    },
  ];
  return { iap: { objects } };
}

/** Secret of the certificate that cert-manager creates. */
const CERTIFICATE_SECRET = 'kubeflow-gateway-tls';

/**
 * The platform's domain at Istio's ingress gateway: servers of the Gateway, and the certificate.
 * @see https://istio.io/latest/docs/reference/config/networking/gateway/
 */
export function wireGateway({ domain }: PlatformSpec): ComponentWiring {
  if (domain === undefined) {
    return { certificate: { objects: [] } };
  }
  const { host, tls } = domain;
  const secret = secretOf(tls);
  const servers = secret === undefined
    ? [{ hosts: [host], port: { name: 'http', number: 80, protocol: 'HTTP' } }]
    : [
      { hosts: [host], port: { name: 'http', number: 80, protocol: 'HTTP' }, tls: { httpsRedirect: true } },
      { hosts: [host], port: { name: 'https', number: 443, protocol: 'HTTPS' }, tls: { mode: 'SIMPLE', credentialName: secret } },
    ];
  const patch: PatchSpec = {
    target: { group: 'networking.istio.io', kind: 'Gateway', name: 'kubeflow-gateway' }, patch: [{ op: 'replace', path: '/spec/servers', value: servers }],
  };
  return { resources: { patches: [patch] }, certificate: { objects: certificateOf(host, tls) } };
}

/** Secret that the gateway reads in Istio's namespace; undefined if it does not terminate TLS. */
function secretOf(tls: TlsSpec): string | undefined {
  switch (tls.kind) {
    case 'secret':
      return tls.name;
    case 'self-signed':
    case 'issuer':
      return CERTIFICATE_SECRET;
    case 'none':
    case 'certificate-map':
      return undefined;
  }
}

function certificateOf(host: string, tls: TlsSpec): PlatformObject[] {
  if (tls.kind !== 'self-signed' && tls.kind !== 'issuer') {
    return [];
  }
  const issuerRef = tls.kind === 'issuer' ? { name: tls.name, kind: tls.issuerKind } : { name: 'kubeflow-self-signing-issuer', kind: 'ClusterIssuer' };
  return [{
    apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'kubeflow-gateway', namespace: 'istio-system' },
    spec: { secretName: CERTIFICATE_SECRET, dnsNames: [host], issuerRef: { group: 'cert-manager.io', ...issuerRef } },
  }];
}
