/** Certificates, mesh, gateways and Knative. */
import {
  KUBEFLOW_KUBERNETES, KUBEFLOW_RELEASE, WEBHOOK_BUNDLES, aggregated, chart, confirmed, crds, git, kubeflow, part, scaledDeployment, since,
  webhookCertificate,
} from '../sources';
import type { CatalogueComponent } from '../types';

/** Istio's definitions, which a managed mesh brings too. */
const ISTIO_CRDS = [
  ...crds('networking.istio.io', 'destinationrules', 'envoyfilters', 'gateways', 'proxyconfigs', 'serviceentries', 'sidecars', 'virtualservices',
    'workloadentries', 'workloadgroups'),
  ...crds('security.istio.io', 'authorizationpolicies', 'peerauthentications', 'requestauthentications'),
  ...crds('telemetry.istio.io', 'telemetries'),
  ...crds('extensions.istio.io', 'wasmplugins'),
];

/** Release of Istio within Kubeflow 26.03, and of the gateway in front of a managed mesh. */
const ISTIO_VERSION = '1.29.0';

export const NETWORK_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'cert-manager',
    title: 'Certificates for webhooks and gateways',
    version: 'v1.21.1',
    parts: [part('cert-manager', chart('https://charts.jetstack.io', 'cert-manager', 'v1.21.1'), {
      values: { crds: { enabled: true }, global: { leaderElection: { namespace: 'cert-manager' } } },
    })],
    namespace: 'cert-manager',
    crds: [
      ...crds('cert-manager.io', 'certificaterequests', 'certificates', 'clusterissuers', 'issuers'),
      ...crds('acme.cert-manager.io', 'challenges', 'orders'),
    ],
    ownedByControllers: WEBHOOK_BUNDLES,
    kubernetes: since('1.33', 'https://cert-manager.io/docs/releases/ (the row of 1.20 begins with 1.32; 1.21 is said to have 1.33 to 1.36)', '1.36'),
    pin: confirmed('crds/cert-manager-v1.21.1; its chart has the version of its release'),
  },
  {
    name: 'istio',
    title: 'Istio, with the ingress gateway and the CNI plugin of Kubeflow',
    version: ISTIO_VERSION,
    parts: [
      part('crds', kubeflow('common/istio/istio-crds/base')),
      part('namespace', kubeflow('common/istio/istio-namespace/base')),
      // GKE mounts /opt/cni/bin as read-only; its overlay uses /home/kubernetes/bin.
      part('install', kubeflow('common/istio/istio-install/overlays/oauth2-proxy'), { pathIn: { gke: 'common/istio/istio-install/overlays/gke' } }),
    ],
    namespace: 'istio-system',
    crds: ISTIO_CRDS,
    provides: ['mesh'],
    kubernetes: KUBEFLOW_KUBERNETES,
    ownedByControllers: [...WEBHOOK_BUNDLES, scaledDeployment('istiod'), scaledDeployment('istio-ingressgateway')],
    pin: confirmed('crds/istio-26.03 (label helm.sh/chart: base-1.29.0)'),
  },
  {
    name: 'managed-mesh',
    title: 'Cloud Service Mesh of the fleet, with our own ingress gateway in front',
    version: ISTIO_VERSION,
    parts: [part('istio-ingressgateway', chart('https://istio-release.storage.googleapis.com/charts', 'gateway', ISTIO_VERSION), {
      // Kubeflow's Gateway selects by this label.
      values: { name: 'istio-ingressgateway', labels: { istio: 'ingressgateway' }, service: { type: 'ClusterIP' } },
    })],
    namespace: 'istio-system',
    crds: ISTIO_CRDS,
    provides: ['mesh'],
    onlyIn: { environments: ['gke'], reason: 'the mesh is a feature of GKE fleets' },
    ownedByControllers: [scaledDeployment('istio-ingressgateway')],
    kubernetes: since('1.30', 'https://docs.solo.io/gloo-mesh-gateway/main/reference/version/istio/versions/ (tests Istio 1.29, which the gateway is of)', '1.35'),
    pin: confirmed('crds/istio-26.03; charts of Istio have the version of its release'),
  },
  {
    name: 'gateway-api',
    title: 'Definitions of the Gateway API',
    version: 'v1.6.1',
    parts: [part('crds', git('https://github.com/kubernetes-sigs/gateway-api', 'config/crd', 'v1.6.1'))],
    namespace: 'default',
    crds: crds('gateway.networking.k8s.io', 'backendtlspolicies', 'gatewayclasses', 'gateways', 'grpcroutes', 'httproutes', 'listenersets', 'referencegrants',
      'tlsroutes'),
    builtInto: ['gke'],
    kubernetes: since('1.31', 'https://gateway-api.sigs.k8s.io/concepts/versioning/ (the five most recent minor versions)'),
    pin: confirmed('crds/gateway-api-v1.6.1'),
  },
  {
    name: 'knative-serving',
    title: 'Knative Serving on Istio: scale to zero and revisions',
    version: '1.20.0',
    parts: [
      part('serving', kubeflow('common/knative/knative-serving/overlays/gateways')),
      part('cluster-local-gateway', kubeflow('common/istio/cluster-local-gateway/base')),
    ],
    namespace: 'knative-serving',
    otherNamespaces: ['istio-system'],
    crds: [
      ...crds('serving.knative.dev', 'configurations', 'domainmappings', 'revisions', 'routes', 'services'),
      ...crds('autoscaling.internal.knative.dev', 'metrics', 'podautoscalers'),
      ...crds('networking.internal.knative.dev', 'certificates', 'clusterdomainclaims', 'ingresses', 'serverlessservices'),
      ...crds('caching.internal.knative.dev', 'images'),
    ],
    needs: ['istio', 'cert-manager'],
    kubernetes: KUBEFLOW_KUBERNETES,
    ownedByControllers: [
      ...WEBHOOK_BUNDLES,
      webhookCertificate('webhook-certs', 'Knative'),
      aggregated('knative-serving-admin'), aggregated('knative-serving-aggregated-addressable-resolver'),
      scaledDeployment('activator'), scaledDeployment('webhook'),
    ],
    pin: confirmed(`${KUBEFLOW_RELEASE} (Knative 1.20)`),
  },
];
