/**
 * What a delivery delivers: the chosen components with their sources, values and patches, by wave. Shared settings (artifact store, database,
 * identity, domain) are already values, patches and objects here, so deliveries do not need to know them.
 */
import type { PlatformObject } from './platform-object';
import type { PartWiring } from './wiring/additions';
import { wiringOf } from './wiring/wiring';
import { component } from '../../model/catalogue/catalogue';
import type { Resolution } from '../../model/catalogue/resolve';
import type { ChartValues, ComponentPart, GitSource, HelmSource, OwnedFields, PlatformEnvironment } from '../../model/catalogue/types';
import { isRecord } from '../../model/json-parts';
import type { PatchSpec, PlatformComponentSpec, PlatformSpec } from '../../model/platform/spec';

export interface PlannedChart {
  readonly kind: 'helm';
  readonly name: string;
  readonly source: HelmSource;
  readonly namespace: string;
  readonly values: ChartValues;
}

/** A kustomization with its patches. */
export interface PlannedKustomization {
  readonly kind: 'git';
  readonly name: string;
  readonly source: GitSource;
  readonly patches: readonly PatchSpec[];
}

/** Objects of the program. `objects` is undefined if a construct creates them. */
export interface PlannedObjects {
  readonly kind: 'program';
  readonly name: string;
  readonly objects?: readonly PlatformObject[];
}

export type PlannedPart = PlannedChart | PlannedKustomization | PlannedObjects;

/** One component, ready to be delivered. */
export interface PlannedComponent {
  readonly name: string;
  readonly title: string;
  /** Number of its wave, from 0. */
  readonly wave: number;
  /** Components of earlier waves for which it waits. */
  readonly after: readonly string[];
  readonly namespace: string;
  /** All namespaces of its objects. */
  readonly namespaces: readonly string[];
  readonly parts: readonly PlannedPart[];
  readonly owned: readonly OwnedFields[];
  /** Only for charts of the program: kinds of its cluster-scoped objects, as `GROUP/KIND`. @default - it is a component of the catalogue */
  readonly clusterKinds?: readonly string[];
}

export interface PlatformPlan {
  readonly components: readonly PlannedComponent[];
}

/** Plans a platform, given the resolution of its components. */
export function planPlatform(spec: PlatformSpec, { waves, after }: Resolution): PlatformPlan {
  const chosen = new Map(spec.components.map((each) => [each.name, each]));
  return {
    components: waves.flatMap((names, wave) => names.map((name): PlannedComponent => {
      const { title, namespace, otherNamespaces = [], parts, ownedByControllers = [] } = component(name);
      const wiring = wiringOf(name, spec);
      return {
        name, title, wave, namespace,
        after: after.get(name) ?? [],
        namespaces: [...new Set([namespace, ...otherNamespaces])],
        parts: parts.flatMap((part) => planPart(part, namespace, chosen.get(name)!, wiring[part.name] ?? {}, spec.environment)),
        owned: ownedByControllers,
      };
    })),
  };
}

/** A part; none for objects that the options do not need. */
function planPart(
  part: ComponentPart, namespace: string, chosen: PlatformComponentSpec, wiring: PartWiring, environment: PlatformEnvironment,
): PlannedPart[] {
  const { name, source, values, valuesIn = {}, pathIn = {} } = part;
  const { sourceVersion } = chosen;
  switch (source.kind) {
    case 'helm':
      return [{
        kind: 'helm', name, namespace: part.namespace ?? namespace,
        source: sourceVersion === undefined ? source : { ...source, version: sourceVersion },
        values: mergeValues(values, valuesIn[environment], wiring.values, chosen.values?.[name], chosen.rawValues?.[name]),
      }];
    case 'git': {
      const own = (chosen.patches ?? []).filter((patch) => patch.part === undefined || patch.part === name).map(({ part: _part, ...patch }) => patch);
      return [{
        kind: 'git', name,
        source: { ...source, path: pathIn[environment] ?? source.path, ...(sourceVersion !== undefined && { revision: sourceVersion }) },
        patches: [...wiring.patches ?? [], ...own],
      }];
    }
    case 'program':
      return wiring.objects?.length === 0 ? [] : [{ kind: 'program', name, objects: wiring.objects }];
  }
}

/**
 * Merges values of charts, as Helm merges values files: maps are merged, otherwise the later value wins. Undefined values are ignored. Keys keep the
 * order of their first occurrence.
 */
export function mergeValues(...layers: readonly (ChartValues | undefined)[]): ChartValues {
  const merged = new Map<string, unknown>();
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      const before = merged.get(key);
      if (value !== undefined) {
        merged.set(key, isRecord(before) && isRecord(value) ? mergeValues(before, value) : value);
      }
    }
  }
  return Object.fromEntries(merged);
}
