/** The shared options of a platform for each component: values of its charts, patches of its kustomizations, and further objects. */
import { wireDex, wireGateway, wireIap, wireOauth2Proxy } from './identity';
import { wireElasticStack, wireFluentBit, wirePrometheusStack } from './logs';
import { wireMlflow, wirePipelines } from './state';
import type { ComponentWiring } from './additions';
import { component } from '../../../model/catalogue/catalogue';
import { API_GROUP, API_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import { hasOwnWorkloads, writesKueueConfiguration } from '../../../model/platform/kueue-integrations';
import type { PlatformSpec } from '../../../model/platform/spec';
import { constructCustomizations } from '../../argo-cd/customizations';
import { yamlText } from '../../yaml-text';
import { kueueConfiguration } from '../kueue-configuration';
import { constructNamespace, type PlatformObject } from '../platform-object';

const WIRING: { readonly [component: string]: (spec: PlatformSpec) => ComponentWiring } = {
  'argo-cd': wireArgoCd,
  'dcgm-exporter': (spec) => wireCriticalPods('dcgm-exporter', spec),
  'dex': wireDex,
  'elastic-stack': wireElasticStack,
  'fluent-bit': wireFluentBit,
  'gpu-operator': (spec) => wireCriticalPods('gpu-operator', spec),
  'iap': wireIap,
  'kserve': wireKserve,
  'kube-prometheus-stack': wirePrometheusStack,
  'kubeflow-base': () => ({ issuer: { objects: [SELF_SIGNING_ISSUER] } }),
  'kubeflow-gateway': wireGateway,
  'kueue': wireKueue,
  'mlflow': wireMlflow,
  'oauth2-proxy': wireOauth2Proxy,
  'pipelines': wirePipelines,
  'trainer': wireTrainer,
};

/** Wiring of a component; empty for those without shared options. */
export function wiringOf(name: string, spec: PlatformSpec): ComponentWiring {
  return WIRING[name]?.(spec) ?? {};
}

/** The issuer that Kubeflow's applications use. @see https://github.com/kubeflow/community-distribution (common/cert-manager) */
const SELF_SIGNING_ISSUER: PlatformObject = {
  apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer', metadata: { name: 'kubeflow-self-signing-issuer' }, spec: { selfSigned: {} },
};

/**
 * GKE rejects pods of the system's priority classes outside of kube-system, unless a quota of their namespace names the classes.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/google-gke.html
 */
function wireCriticalPods(name: string, { environment }: PlatformSpec): ComponentWiring {
  const { namespace } = component(name);
  const quota: PlatformObject = {
    apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: `${name}-critical-pods`, namespace },
    spec: {
      // As many as in GKE's own namespace: the quota permits the classes, and limits nothing.
      hard: { pods: '1G' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical', 'system-cluster-critical'] }] },
    },
  };
  // A delivery may apply the quota before the chart, whose namespace must then exist.
  return { quota: { objects: environment === 'gke' ? [constructNamespace(namespace), quota] : [] } };
}

/** Health, actions and ignored differences of jobs, queues and models for Argo CD. */
function wireArgoCd({ resourceCustomizations = true }: PlatformSpec): ComponentWiring {
  return resourceCustomizations ? { 'argo-cd': { values: { configs: { cm: constructCustomizations() } } } } : {};
}

/** KServe creates routes of the Gateway API only with that feature, and Istio's objects only in Knative mode. */
function wireKserve({ components, domain }: PlatformSpec): ComponentWiring {
  const features = components.find(({ name }) => name === 'kserve')?.features ?? [];
  const gatewayApi = features.includes('gatewayApi');
  const knative = features.includes('knative');
  return {
    kserve: {
      values: {
        kserve: {
          controller: {
            gateway: {
              ...(domain !== undefined && { domain: domain.host }),
              ...(knative && { disableIstioVirtualHost: false }),
              ...(gatewayApi && { ingressGateway: { enableGatewayApi: true } }),
            },
          },
        },
      },
    },
  };
}

/** Kueue does not manage jobs of our operator, which creates their Workloads itself. */
function wireKueue(spec: PlatformSpec): ComponentWiring {
  const settings = spec.components.find(({ name }) => name === 'kueue')?.kueue ?? {};
  if (!writesKueueConfiguration(spec, settings)) {
    return {};
  }
  const configuration = kueueConfiguration(settings, hasOwnWorkloads(spec) ? [`${TRAINING_JOB_KIND}.${API_VERSION}.${API_GROUP}`] : []);
  return { kueue: { values: { managerConfig: { controllerManagerConfigYaml: yamlText(configuration) } } } };
}

/** Trainer's data cache needs LeaderWorkerSet, which its chart would install a second time. */
function wireTrainer({ components, existing }: PlatformSpec): ComponentWiring {
  const lws = [...components, ...existing].some(({ name }) => name === 'lws');
  return lws ? { 'kubeflow-trainer': { values: { dataCache: { lws: { install: false } } } } } : {};
}
