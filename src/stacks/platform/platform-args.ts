/** What a platform on a cluster is made of, and what is wrong with it. */
import type { Input } from '@pulumi/pulumi';
import { planPlatform, type PlatformPlan } from '../../manifests/platform/plan';
import type { IdentityChoice, MeshChoice, PresetName } from '../../model/catalogue/presets';
import { PRESET_NAMES } from '../../model/catalogue/presets';
import { resolveComponents, type SelectedComponent } from '../../model/catalogue/resolve';
import type { PlatformEnvironment } from '../../model/catalogue/types';
import { chooseComponents } from '../../model/platform/choose';
import type { ArtifactStoreSpec, DatabaseSpec, DomainSpec, IdentitySpec, PlatformComponentSpec, PlatformSpec } from '../../model/platform/spec';
import { validatePlatform, type GivenOptions } from '../../model/platform/validation';
import { checkShape, oneOf } from '../../model/shapes';
import type { Violation } from '../../model/violations';
import type { ChartLike } from '../charts/chart-deployment';
import type { Found } from '../support/validated';

/** The same options, whose names can be outputs: of a bucket, an instance, a host. */
export type WithOutputs<T> = { readonly [field in keyof T]: field extends 'kind' ? T[field] : T[field] | NameInput<NonNullable<T[field]>> };

type NameInput<T> = T extends string ? Input<string> : never;

/** A Secret that pods of components read, which nothing of the catalogue brings. */
export interface PlatformSecret {
  readonly name: string;
  readonly namespace: string;
  readonly data: { readonly [key: string]: Input<string> };
}

/** Arguments of {@link PlatformDeployment}. */
export interface PlatformDeploymentArgs {
  /** Set of components: `training`, `serving`, `full` or `local`. @default - the components alone */
  readonly preset?: PresetName;
  /** Components beside those of the preset, or other settings of one of its. @default - none */
  readonly components?: readonly (string | PlatformComponentSpec)[];
  /** Components of the preset that are left out. @default - none */
  readonly without?: readonly string[];
  /** What the cluster has already. @default - nothing */
  readonly existing?: readonly SelectedComponent[];
  /** `gke`, `kind` or `other`. @default `gke` */
  readonly environment?: PlatformEnvironment;
  /** Release of Kubernetes, such as `1.34`. @default - not asked about */
  readonly kubernetesVersion?: string;
  /** Whose mesh it is: `istio`, or `managed` for Cloud Service Mesh. @default `istio` */
  readonly mesh?: MeshChoice;
  /** Who people are. @default - nobody is asked: for platforms without applications */
  readonly identity?: WithOutputs<IdentitySpec>;
  /** Where people find the platform. @default - only within the cluster */
  readonly domain?: { readonly host: Input<string>; readonly tls: DomainSpec['tls'] };
  /** Where pipelines keep files. @default - in the cluster */
  readonly artifactStore?: WithOutputs<ArtifactStoreSpec>;
  /** Where pipelines keep what ran. @default - in the cluster */
  readonly database?: WithOutputs<DatabaseSpec>;
  /** Charts of components that a program makes, such as `training-operator`. @default - none */
  readonly charts?: { readonly [component: string]: ChartLike | readonly object[] };
  /** Secrets that pods of components wait for. @default - none */
  readonly secrets?: readonly PlatformSecret[];
}

/** A platform that was chosen, as far as it is known. */
export interface ChosenPlatform {
  readonly plan: PlatformPlan;
  readonly found: readonly Found[];
}

/** The plan of options without outputs, and everything that is wrong with them. */
export function choosePlatform(args: PlatformDeploymentArgs): ChosenPlatform {
  const { environment = 'gke', kubernetesVersion, existing = [], artifactStore, database, domain } = args as Omit<PlatformDeploymentArgs, 'artifactStore' | 'database'> & {
    readonly artifactStore?: ArtifactStoreSpec; readonly database?: DatabaseSpec;
  };
  const preset = args.preset === undefined ? [] : checkShape(oneOf(PRESET_NAMES), args.preset, 'preset');
  if (preset.length > 0) {
    return { plan: { components: [] }, found: preset };
  }
  const identity = args.identity as IdentitySpec | undefined;
  const choice: IdentityChoice = identity?.kind ?? 'dex';
  const { components, violations } = chooseComponents({
    preset: args.preset, environment, identity: choice, mesh: args.mesh ?? 'istio', without: args.without ?? [], existing,
    components: (args.components ?? []).map((each) => (typeof each === 'string' ? { name: each } : each)),
  });
  const resolution = resolveComponents({ components, existing, environment, ...(kubernetesVersion !== undefined && { kubernetesVersion }) });
  const spec: PlatformSpec = {
    environment, components, existing,
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    artifactStore: artifactStore ?? { kind: 'in-cluster' },
    database: database ?? { kind: 'in-cluster' },
    identity: identity ?? { kind: 'dex', connectors: [] },
    ...(domain !== undefined && { domain: domain as DomainSpec }),
  };
  const given: GivenOptions = new Set((['artifactStore', 'database', 'identity', 'domain'] as const).filter((option) => args[option] !== undefined));
  const errors = [...violations, ...resolution.violations];
  // Options are judged where the components are right.
  const found: Violation[] = errors.length > 0 ? errors : [...validatePlatform(spec, given)];
  const plan = found.length > 0 ? { components: [] } : planPlatform(spec, resolution);
  return { plan, found: [...found, ...checkCharts(plan, args), ...resolution.warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))] };
}

/** Charts that components need, and charts and Secrets that nothing needs. */
function checkCharts({ components }: PlatformPlan, { charts = {}, secrets = [] }: PlatformDeploymentArgs): Violation[] {
  if (components.length === 0) {
    return [];
  }
  const made = components.filter(({ parts }) => parts.some((part) => part.kind === 'program' && part.objects === undefined)).map(({ name }) => name);
  const namespaces = new Set(components.flatMap((each) => each.namespaces));
  return [
    ...made.filter((name) => charts[name] === undefined).map((name) => ({
      path: `charts.${name}`, value: undefined, message: `is required: ${name} is created by the program. Set its chart, or leave it out: without: ['${name}'].`,
    })),
    ...Object.keys(charts).filter((name) => !made.includes(name)).map((name) => ({
      path: `charts.${name}`, value: name, message: `does not belong to a component that the program creates${made.length === 0 ? '' : `; those are ${made.join(', ')}`}. Apply it after the platform.`,
    })),
    ...secrets.filter(({ namespace }) => !namespaces.has(namespace)).map(({ name, namespace }) => ({
      path: `secrets.${name}`, value: namespace, message: `is not a namespace of a component; there are ${[...namespaces].join(', ')}.`,
    })),
  ];
}
