/** The common part of deliveries. */
import type { PlannedComponent, PlannedPart, PlatformPlan } from './plan';
import type { PatchSpec } from '../../model/platform/spec';

/** Converts a value to YAML. Constructs pass it, because they have the library. */
export type ToYaml = (value: unknown) => string;

/** Where the files of the program are in the repository. */
export interface ProgramFiles {
  /** URL of the repository. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** The chart with a name: a folder, and a file in it if the folder also has others. */
  locate(chart: string): { readonly path: string; readonly include?: string };
}

/** Labels of all of a delivery's objects for a component. */
export function componentLabels(platform: string, { name, wave }: PlannedComponent): { readonly [label: string]: string } {
  return {
    'app.kubernetes.io/managed-by': 'trainyard', 'app.kubernetes.io/part-of': platform, 'app.kubernetes.io/component': name, 'trainyard.dev/wave': String(wave),
  };
}

/** A patch in the format of kustomize, Argo CD and Flux. */
export function writtenPatch({ target, patch }: PatchSpec, toYaml: ToYaml): { readonly target?: object; readonly patch: string } {
  return { ...(target !== undefined && { target }), patch: toYaml(patch) };
}

/** Repositories of a plan, each once, in the order of first use. */
export function repositoriesOf({ components }: PlatformPlan): string[] {
  const all = components.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'program' ? [] : [part.source.repository])));
  return [...new Set(all)];
}

/** Whether a component has anything to deliver. */
export function hasParts({ parts }: PlannedComponent): boolean {
  return parts.length > 0;
}

/** Whether a component has files of the program. */
export function hasObjects({ parts }: PlannedComponent): boolean {
  return parts.some(({ kind }) => kind === 'program');
}

/** Namespaces that the program's own objects create. */
export function programNamespaces(...parts: readonly PlannedPart[]): string[] {
  const objects = parts.flatMap((part) => (part.kind === 'program' ? part.objects ?? [] : []));
  return objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
}
