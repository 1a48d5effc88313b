/** What deliveries share: names of what they make, and how a patch is written down. */
import type { PlannedComponent, PlannedPart, PlatformPlan } from './plan';
import type { PatchSpec } from '../../model/platform/spec';

/** Writes a value as YAML. The constructs have the library. */
export type ToYaml = (value: unknown) => string;

/** Where files of the program lie in the repository that is delivered from. */
export interface ProgramFiles {
  /** URL of the repository. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** The chart of that name: a folder, and a file in it where the folder has others too. */
  locate(chart: string): { readonly path: string; readonly include?: string };
}

/** Labels of everything that a delivery makes of a component. */
export function componentLabels(platform: string, { name, wave }: PlannedComponent): { readonly [label: string]: string } {
  return {
    'app.kubernetes.io/managed-by': 'trainyard', 'app.kubernetes.io/part-of': platform, 'app.kubernetes.io/component': name, 'trainyard.dev/wave': String(wave),
  };
}

/** A patch as kustomize, Argo CD and Flux read it. */
export function writtenPatch({ target, patch }: PatchSpec, toYaml: ToYaml): { readonly target?: object; readonly patch: string } {
  return { ...(target !== undefined && { target }), patch: toYaml(patch) };
}

/** Repositories of a plan, each once, in the order of first use. */
export function repositoriesOf({ components }: PlatformPlan): string[] {
  const all = components.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'program' ? [] : [part.source.repository])));
  return [...new Set(all)];
}

/** Whether a component has something to deliver at all. */
export function hasParts({ parts }: PlannedComponent): boolean {
  return parts.length > 0;
}

/** Whether files of the program belong to a component. */
export function hasObjects({ parts }: PlannedComponent): boolean {
  return parts.some(({ kind }) => kind === 'program');
}

/** Namespaces that the program's own objects create. */
export function programNamespaces(...parts: readonly PlannedPart[]): string[] {
  const objects = parts.flatMap((part) => (part.kind === 'program' ? part.objects ?? [] : []));
  return objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
}
