/** Who people are: one of these stands in front of the platform. */
import { KUBEFLOW_KUBERNETES, KUBEFLOW_RELEASE, PROGRAM, confirmed, crds, kubeflow, ownObjects, part } from '../sources';
import type { CatalogueComponent } from '../types';

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
