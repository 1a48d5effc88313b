/**
 * Integrations of Kueue, by its names for them, and when a platform writes Kueue's configuration.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/values.yaml
 */
import type { KueueSettings, PlatformSpec } from './spec';
import { WORKLOAD_KINDS } from '../kinds/registry';
import type { WorkloadKind } from '../kinds/workload-kind';

const nameOf = ({ group, kind }: WorkloadKind): string => `${group}/${kind.toLowerCase()}`;

/** All of them. */
export const KUEUE_INTEGRATIONS: readonly string[] = [
  ...WORKLOAD_KINDS.filter(({ isQueued, isRetired }) => isQueued === true && isRetired !== true).map(nameOf),
  'workload.codeflare.dev/appwrapper', 'pod', 'deployment', 'statefulset',
];

/** Feature gates without which Kueue does not start with these integrations, each with the integration. */
export function gatesOfIntegrations(integrations: readonly string[]): { readonly [gate: string]: string } {
  const kinds = WORKLOAD_KINDS.filter((kind) => integrations.includes(nameOf(kind)));
  return Object.fromEntries(kinds.flatMap((kind) => (kind.kueueFeatureGate === undefined ? [] : [[kind.kueueFeatureGate, nameOf(kind)]])));
}

/** Whether the operator creates the Workloads of its jobs, so that Kueue has to leave them to it. */
export const hasOwnWorkloads = ({ components, existing }: PlatformSpec): boolean => [...components, ...existing].some(({ name }) => name === 'training-operator');

/** Whether the platform replaces the configuration of Kueue's chart. */
export function writesKueueConfiguration(spec: PlatformSpec, settings: KueueSettings): boolean {
  return hasOwnWorkloads(spec) || Object.values(settings).some((value) => value !== undefined);
}
