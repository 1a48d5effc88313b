/** Model servers. */
import { WEBHOOK_BUNDLES, chart, crds, part, unconfirmed } from '../sources';
import type { CatalogueComponent, KubernetesRange } from '../types';

const KSERVE_VERSION = 'v0.20.0';

const KUBERNETES: KubernetesRange = { from: '1.32', source: 'https://kserve.github.io/website (the last published table is of an earlier release)', confirmed: false };

const PIN = unconfirmed('crds/kserve-v0.20.0; charts of KServe have the version of its release (v0.17.1 was seen)');

const CHARTS = 'oci://ghcr.io/kserve/charts';

export const SERVING_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'kserve',
    title: 'KServe: InferenceServices, runtimes and graphs',
    version: KSERVE_VERSION,
    parts: [
      part('kserve-crd', chart(CHARTS, 'kserve-crd', KSERVE_VERSION)),
      part('kserve', chart(CHARTS, 'kserve-resources', KSERVE_VERSION), {
        // What an object without the annotation gets. The chart's default is Knative's mode, and it must be there then.
        values: { kserve: { controller: { deploymentMode: 'Standard', gateway: { disableIstioVirtualHost: true } } } },
      }),
    ],
    namespace: 'kserve',
    crds: crds('serving.kserve.io', 'clusterservingruntimes', 'clusterstoragecontainers', 'inferencegraphs', 'inferenceservices', 'localmodelcaches',
      'localmodelnamespacecaches', 'localmodelnodegroups', 'localmodelnodes', 'servingruntimes', 'trainedmodels'),
    needs: ['cert-manager'],
    after: ['mesh', 'knative-serving', 'gateway-api', 'keda'],
    features: {
      knative: { title: 'services in Knative\'s mode: scale to zero, revisions', needs: ['knative-serving', 'istio'] },
      gatewayApi: { title: 'routes of the Gateway API', needs: ['gateway-api'] },
      keda: { title: 'scaling by queries', needs: ['keda'] },
    },
    kubernetes: KUBERNETES,
    ownedByControllers: WEBHOOK_BUNDLES,
    pin: PIN,
  },
  {
    name: 'kserve-llm',
    title: 'KServe\'s LLMInferenceService: several nodes, prefill and decode, routing',
    version: KSERVE_VERSION,
    parts: [
      part('kserve-llmisvc-crd', chart(CHARTS, 'kserve-llmisvc-crd', KSERVE_VERSION)),
      part('kserve-llmisvc', chart(CHARTS, 'kserve-llmisvc-resources', KSERVE_VERSION)),
    ],
    namespace: 'kserve',
    crds: crds('serving.kserve.io', 'llminferenceserviceconfigs', 'llminferenceservices'),
    needs: ['kserve', 'cert-manager', 'gateway-api', 'lws'],
    kubernetes: KUBERNETES,
    ownedByControllers: WEBHOOK_BUNDLES,
    pin: PIN,
  },
];
