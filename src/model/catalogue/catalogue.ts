/** All components that a platform can consist of, by name. */
import { COMPATIBILITY_RULES } from './compatibility';
import { ACCELERATOR_COMPONENTS } from './components/accelerators';
import { GITOPS_COMPONENTS } from './components/gitops';
import { IDENTITY_COMPONENTS, SECURITY_COMPONENTS } from './components/security';
import { KUBEFLOW_COMPONENTS } from './components/kubeflow';
import { NETWORK_COMPONENTS } from './components/network';
import { OBSERVABILITY_COMPONENTS } from './components/observability';
import { SCHEDULING_COMPONENTS } from './components/scheduling';
import { SERVING_COMPONENTS } from './components/serving';
import { TRAINING_COMPONENTS } from './components/training';
import type { CatalogueComponent } from './types';

/** Groups, in the order in which people look for them. */
export const CATALOGUE_GROUPS: readonly (readonly [title: string, components: readonly CatalogueComponent[]])[] = [
  ['Network and certificates', NETWORK_COMPONENTS],
  ['Identity', IDENTITY_COMPONENTS],
  ['Kubeflow', KUBEFLOW_COMPONENTS],
  ['Jobs', TRAINING_COMPONENTS],
  ['Serving', SERVING_COMPONENTS],
  ['Queues and scaling', SCHEDULING_COMPONENTS],
  ['Accelerators', ACCELERATOR_COMPONENTS],
  ['Observability and experiments', OBSERVABILITY_COMPONENTS],
  ['Security', SECURITY_COMPONENTS],
  ['GitOps', GITOPS_COMPONENTS],
];

export const CATALOGUE: readonly CatalogueComponent[] = CATALOGUE_GROUPS.flatMap(([, components]) => components);

const BY_NAME = new Map(CATALOGUE.map((component) => [component.name, component]));

export const COMPONENT_NAMES: readonly string[] = [...BY_NAME.keys()];

export function tryComponent(name: string): CatalogueComponent | undefined {
  return BY_NAME.get(name);
}

/** The component of that name. @throws Error when there is none: callers know the names. */
export function component(name: string): CatalogueComponent {
  const found = BY_NAME.get(name);
  if (found === undefined) {
    throw new Error(`No component '${name}' in the catalogue.`);
  }
  return found;
}

/**
 * Components that cannot be in one platform with another: they stand for the same, bring the same definition, or break each other whatever their
 * versions.
 */
export function conflictsOf({ name, provides = [], crds }: CatalogueComponent): string[] {
  const own = new Set([...provides, ...crds]);
  const pairs = COMPATIBILITY_RULES.filter(({ severity, whenVersionsDiffer, between }) => (
    severity === 'error' && !whenVersionsDiffer && between.every(({ from, before }) => from === undefined && before === undefined)));
  const inPair = (other: string) => pairs.some(({ between }) => [name, other].every((one) => between.some((range) => range.component === one)));
  const isAlike = (other: CatalogueComponent) => [...other.provides ?? [], ...other.crds].some((role) => own.has(role));
  return CATALOGUE.filter((other) => other.name !== name && (isAlike(other) || inPair(other.name))).map((other) => other.name);
}
