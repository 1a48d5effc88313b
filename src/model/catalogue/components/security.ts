/** Secrets and images. */
import {
  WEBHOOK_BUNDLES, chart, confirmed, crds, part, since, unconfirmed,
  KUBEFLOW_KUBERNETES, KUBEFLOW_RELEASE, PROGRAM, kubeflow, ownObjects, webhookCertificate,
} from '../sources';
import type { CatalogueComponent } from '../types';

export const SECURITY_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'external-secrets',
    title: 'External Secrets: Secrets from a store outside the cluster',
    version: 'v2.9.0',
    parts: [part('external-secrets', chart('https://charts.external-secrets.io', 'external-secrets', '2.9.0'), { values: { installCRDs: true } })],
    namespace: 'external-secrets',
    crds: crds('external-secrets.io', 'clusterexternalsecrets', 'clustersecretstores', 'externalsecrets', 'secretstores'),
    ownedByControllers: [...WEBHOOK_BUNDLES, webhookCertificate('external-secrets-webhook', 'External Secrets')],
    kubernetes: since('1.19', 'https://github.com/external-secrets/external-secrets/blob/main/deploy/charts/external-secrets/Chart.yaml (of 2.0.0)'),
    pin: unconfirmed('crds/external-secrets-v2.9.0; charts have the version of the release (2.6.0 was seen)'),
  },
  {
    name: 'trivy-operator',
    title: 'Trivy operator: scans running images for known vulnerabilities',
    version: '0.36.0',
    parts: [part('trivy-operator', chart('https://aquasecurity.github.io/helm-charts/', 'trivy-operator', '0.36.0'), {
      // Training images are large, and their jobs many: one report an image and not one a job.
      values: { trivy: { ignoreUnfixed: true }, operator: { scannerReportTTL: '168h', scanJobsConcurrentLimit: 2 } },
    })],
    namespace: 'trivy-system',
    crds: crds('aquasecurity.github.io', 'clustercompliancereports', 'clusterconfigauditreports', 'clusterinfraassessmentreports', 'clusterrbacassessmentreports',
      'clustersbomreports', 'clustervulnerabilityreports', 'configauditreports', 'exposedsecretreports', 'infraassessmentreports', 'rbacassessmentreports',
      'sbomreports', 'vulnerabilityreports'),
    kubernetes: since('1.16', 'https://github.com/aquasecurity/trivy-operator/tree/main/deploy/helm (names none; its definitions are of a version that is served since then)'),
    pin: confirmed('https://github.com/entigolabs/entigo-infralib/pull/1643 (chart 0.36.0)'),
  },
];

export const IDENTITY_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'dex',
    title: 'Dex: sign-in by your identity provider',
    version: '2.45.0',
    parts: [part('dex', kubeflow('common/dex/overlays/oauth2-proxy'))],
    namespace: 'auth',
    crds: crds('dex.coreos.com', 'authcodes'),
    needs: ['istio'],
    kubernetes: KUBEFLOW_KUBERNETES,
    pin: confirmed(KUBEFLOW_RELEASE),
  },
  {
    name: 'oauth2-proxy',
    title: 'oauth2-proxy: sessions and tokens at the ingress gateway',
    version: '7.14.3',
    parts: [part('oauth2-proxy', kubeflow('common/oauth2-proxy/overlays/m2m-dex-only'), { pathIn: { kind: 'common/oauth2-proxy/overlays/m2m-dex-and-kind' } })],
    namespace: 'oauth2-proxy',
    otherNamespaces: ['istio-system'],
    crds: [],
    needs: ['istio', 'dex'],
    provides: ['authentication'],
    kubernetes: KUBEFLOW_KUBERNETES,
    pin: confirmed(KUBEFLOW_RELEASE),
  },
  {
    name: 'iap',
    title: 'Google Cloud Identity-Aware Proxy: its tokens are checked at the ingress gateway',
    version: '1',
    parts: [part('iap', PROGRAM)],
    namespace: 'istio-system',
    crds: [],
    needs: ['mesh', 'gateway-api'],
    provides: ['authentication'],
    onlyIn: { environments: ['gke'], reason: 'IAP protects Google Cloud load balancers' },
    kubernetes: ownObjects('1.24', 'https://cloud.google.com/kubernetes-engine/docs/how-to/configure-gateway-resources (policies of Gateways)'),
    pin: confirmed('objects of this library'),
  },
];
