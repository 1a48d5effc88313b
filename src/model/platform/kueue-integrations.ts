/**
 * Integrations of Kueue, by its names for them. It does not start with one that it does not know.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/values.yaml
 */
import { WORKLOAD_KINDS } from '../kinds/registry';
import type { WorkloadKind } from '../kinds/workload-kind';

const nameOf = ({ group, kind }: WorkloadKind): string => `${group}/${kind.toLowerCase()}`;

/** All of them. */
export const KUEUE_INTEGRATIONS: readonly string[] = [
  ...WORKLOAD_KINDS.filter(({ isQueued, isRetired }) => isQueued === true && isRetired !== true).map(nameOf),
  'workload.codeflare.dev/appwrapper', 'pod', 'deployment', 'statefulset',
];

/** Feature gates without which Kueue does not start with these integrations. */
export function gatesOfIntegrations(integrations: readonly string[]): string[] {
  const kinds = WORKLOAD_KINDS.filter((kind) => integrations.includes(nameOf(kind)));
  return kinds.flatMap(({ kueueFeatureGate }) => kueueFeatureGate ?? []);
}
