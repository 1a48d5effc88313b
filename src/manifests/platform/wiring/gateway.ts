/** The platform's domain at the ingress gateway of Istio. @see https://istio.io/latest/docs/reference/config/networking/gateway/ */
import type { ComponentWiring } from './wiring';
import type { PatchSpec, PlatformSpec, TlsSpec } from '../../../model/platform/spec';
import type { PlatformObject } from '../platform-object';

/** Secret of the certificate that cert-manager makes. */
const CERTIFICATE_SECRET = 'kubeflow-gateway-tls';

/** Servers of the Gateway, and the certificate. */
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

/** Secret that the gateway reads; none where it ends no TLS. Istio reads it in its own namespace. */
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
