/** Sets of components that are whole by themselves. */
import type { SelectedComponent } from './resolve';
import type { PlatformEnvironment } from './types';

export const PRESET_NAMES = ['training', 'serving', 'full', 'local'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** Who is in front of Kubeflow's applications. */
export type IdentityChoice = 'dex' | 'iap';

export type MeshChoice = 'istio' | 'managed';

export interface PresetOptions {
  readonly environment: PlatformEnvironment;
  readonly identity: IdentityChoice;
  readonly mesh: MeshChoice;
}

const selected = (names: readonly string[]): SelectedComponent[] => names.map((name) => ({ name }));

/** The mesh, and identity in front of the applications. */
function frontDoor({ identity, mesh }: PresetOptions): string[] {
  return [mesh === 'istio' ? 'istio' : 'managed-mesh', ...(identity === 'iap' ? ['iap'] : ['dex', 'oauth2-proxy'])];
}

/** What GPUs need. GKE has drivers, device plugin and exporter already, and kind has no GPUs. */
function gpus(environment: PlatformEnvironment): string[] {
  return environment === 'other' ? ['node-feature-discovery', 'gpu-operator'] : [];
}

const WORKBENCH = ['kubeflow-base', 'kubeflow-gateway', 'profiles', 'central-dashboard', 'pod-defaults', 'notebooks', 'pipelines', 'katib'];

const TRAINING = ['cert-manager', 'jobset', 'trainer', 'training-operator', 'kueue', 'kuberay'];

/** KServe without Knative: routes of the Gateway API, scaling by KEDA. */
const SERVING: readonly SelectedComponent[] = [
  ...selected(['cert-manager', 'gateway-api', 'lws', 'keda']), { name: 'kserve', features: ['gatewayApi', 'keda'] }, { name: 'kserve-llm' },
];

/** The components of a preset, fitted to where it runs. */
export function presetComponents(preset: PresetName, options: PresetOptions): SelectedComponent[] {
  const { environment, mesh } = options;
  switch (preset) {
    case 'training':
      return selected([...TRAINING, 'external-secrets', 'kube-prometheus-stack', ...gpus(environment)]);
    case 'serving':
      return [...SERVING, ...selected(['external-secrets', 'kube-prometheus-stack', ...gpus(environment)])];
    case 'local':
      return selected([...frontDoor(options), ...WORKBENCH, 'cert-manager', 'jobset', 'trainer', 'training-operator', 'kserve']);
    case 'full': {
      // Knative is wired to the gateways of Kubeflow's Istio.
      const knative = mesh === 'istio';
      return [
        ...selected([...frontDoor(options), ...WORKBENCH, 'tensorboard', 'model-registry', ...TRAINING, 'spark-operator']),
        ...SERVING.filter(({ name }) => name !== 'cert-manager' && name !== 'kserve'),
        { name: 'kserve', features: ['gatewayApi', 'keda', ...knative ? ['knative'] : []] },
        ...selected(knative ? ['knative-serving'] : []),
        ...selected(['external-secrets', 'kube-prometheus-stack', 'loki', 'fluent-bit', 'mlflow', 'trivy-operator', ...gpus(environment)]),
      ];
    }
  }
}
