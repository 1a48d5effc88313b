/** The arguments of a platform on a cluster and their rules. */
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

/** The same options, in which names (of a bucket, an instance, a host) can be outputs. */
export type WithOutputs<T> = { readonly [field in keyof T]: field extends 'kind' ? T[field] : T[field] | NameInput<NonNullable<T[field]>> };

type NameInput<T> = T extends string ? Input<string> : never;

/** A Secret that pods of components read, and that the catalogue does not include. */
export interface PlatformSecret {
  readonly name: string;
  readonly namespace: string;
  readonly data: { readonly [key: string]: Input<string> };
}

/** Arguments of {@link PlatformDeployment}. */
export interface PlatformDeploymentArgs {
  /** A set of components: `training`, `serving`, `full` or `local`. @default - only `components` */
  readonly preset?: PresetName;
  /** Components in addition to the preset, or different settings for components of the preset. @default - none */
  readonly components?: readonly (string | PlatformComponentSpec)[];
  /** Components to leave out. @default - none */
  readonly without?: readonly string[];
  /** Components that the cluster already has. @default - none */
  readonly existing?: readonly SelectedComponent[];
  /** `gke`, `kind` or `other`. @default `gke` */
  readonly environment?: PlatformEnvironment;
  /** Kubernetes version, such as `1.34`. @default - not checked */
  readonly kubernetesVersion?: string;
  /** The service mesh: `istio`, or `managed` for Cloud Service Mesh. @default `istio` */
  readonly mesh?: MeshChoice;
  /** How users authenticate. @default - no authentication, for platforms without web applications */
  readonly identity?: WithOutputs<IdentitySpec>;
  /** How users access the platform. @default - only within the cluster */
  readonly domain?: { readonly host: Input<string>; readonly tls: DomainSpec['tls'] };
  /** Where pipelines store files. @default - in the cluster */
  readonly artifactStore?: WithOutputs<ArtifactStoreSpec>;
  /** The database of pipelines. @default - in the cluster */
  readonly database?: WithOutputs<DatabaseSpec>;
  /** Charts of components that the program creates, such as `training-operator`. @default - none */
  readonly charts?: { readonly [component: string]: ChartLike | readonly object[] };
  /** Secrets that pods of components need. @default - none */
  readonly secrets?: readonly PlatformSecret[];
}

/** A selected platform, as far as its values are known. */
export interface ChosenPlatform {
  readonly plan: PlatformPlan;
  readonly found: readonly Found[];
}

/** Plans a platform from options without outputs. Returns the plan and all findings. */
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
  // Options are only checked if the components are valid.
  const found: Violation[] = errors.length > 0 ? errors : [...validatePlatform(spec, given)];
  const plan = found.length > 0 ? { components: [] } : planPlatform(spec, resolution);
  return { plan, found: [...found, ...checkCharts(plan, args), ...resolution.warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))] };
}

/** Checks that components have the charts that they need, and that all charts and Secrets are used. */
function checkCharts({ components }: PlatformPlan, { charts = {}, secrets = [] }: PlatformDeploymentArgs): Violation[] {
  if (components.length === 0) {
    return [];
  }
  const created = components.filter(({ parts }) => parts.some((part) => part.kind === 'program' && part.objects === undefined)).map(({ name }) => name);
  const namespaces = new Set(components.flatMap((each) => each.namespaces));
  return [
    ...created.filter((name) => charts[name] === undefined).map((name) => ({
      path: `charts.${name}`, value: undefined, message: `is required: ${name} is created by the program. Set its chart, or leave it out: without: ['${name}'].`,
    })),
    ...Object.keys(charts).filter((name) => !created.includes(name)).map((name) => ({
      path: `charts.${name}`, value: name, message: `does not belong to a component that the program creates${created.length === 0 ? '' : `; those are ${created.join(', ')}`}. Apply it after the platform.`,
    })),
    ...secrets.filter(({ namespace }) => !namespaces.has(namespace)).map(({ name, namespace }) => ({
      path: `secrets.${name}`, value: namespace, message: `is not a namespace of a component; there are ${[...namespaces].join(', ')}.`,
    })),
  ];
}
