/**
 * What the catalogue says of a component of a platform: which version, where it comes from, where it goes, what it brings and what it needs. Data
 * apart from rules: `components/` has one file a group, `compatibility.ts` and `resolve.ts` have the rules.
 */

/** Where a platform runs. What a cloud brings is not installed there. */
export type PlatformEnvironment = 'kind' | 'gke' | 'other';

export interface HelmSource {
  readonly kind: 'helm';
  /** `https://` address of an index of charts, or `oci://` folder of a registry, without the chart's name. */
  readonly repository: string;
  readonly chart: string;
  readonly version: string;
}

/** A folder with a `kustomization.yaml` in a repository of Git. */
export interface GitSource {
  readonly kind: 'git';
  readonly repository: string;
  readonly path: string;
  /** Tag, which does not move. */
  readonly revision: string;
}

/** Objects that the program writes itself. */
export interface ProgramSource {
  readonly kind: 'program';
}

export type PartSource = HelmSource | GitSource | ProgramSource;

/** One thing that is applied. Parts of a component are applied in their order. */
export interface ComponentPart {
  /** Name, of its own within the component; the release of a chart. */
  readonly name: string;
  readonly source: PartSource;
  /** Where a chart's objects go. @default - the component's namespace */
  readonly namespace?: string;
  /** Values of the chart that differ from its own defaults. */
  readonly values?: ChartValues;
  /** Values more in an environment, over `values`. */
  readonly valuesIn?: { readonly [environment in PlatformEnvironment]?: ChartValues };
  /** Another folder of the same repository in an environment. */
  readonly pathIn?: { readonly [environment in PlatformEnvironment]?: string };
}

export interface ChartValues {
  readonly [name: string]: unknown;
}

/** Releases of Kubernetes, `1.31`. */
export interface KubernetesRange {
  readonly from: string;
  /** Newest that its authors have tested. Newer ones warn. @default - not known */
  readonly testedTo?: string;
  /** Where this is read. */
  readonly source: string;
  /** Whether `from` is what the source says of this very version. A range that is not certain warns and never fails. */
  readonly confirmed: boolean;
}

/** Where a pinned version was read. */
export interface VersionPin {
  /** Address of the source, or the folder of definitions that tests use. */
  readonly source: string;
  /** Whether the source says this very version of the chart or tag. A pin that is not confirmed warns at synth and never fails. */
  readonly confirmed: boolean;
}

/** A way to run a component that needs more than the component. */
export interface ComponentFeature {
  /** What it does, for people. */
  readonly title: string;
  readonly needs: readonly string[];
}

export interface CatalogueComponent {
  /** Name in selections, `cert-manager`. */
  readonly name: string;
  /** What it is, for people. */
  readonly title: string;
  /** What runs, which may differ from the version of its chart; the chart's where no source at hand says more. */
  readonly version: string;
  readonly parts: readonly ComponentPart[];
  readonly namespace: string;
  /** Further namespaces that it makes or writes into. */
  readonly otherNamespaces?: readonly string[];
  /** Definitions that it brings, `plural.group`. No two components of a platform bring the same one. */
  readonly crds: readonly string[];
  /** Components, or what some component provides, without which it does not work. It comes after them. */
  readonly needs?: readonly string[];
  /** Components that it comes after where they are chosen, and does without where they are not. */
  readonly after?: readonly string[];
  /** What it stands for, in addition to itself: one component of a platform provides it. */
  readonly provides?: readonly string[];
  readonly features?: { readonly [feature: string]: ComponentFeature };
  readonly kubernetes?: KubernetesRange;
  /** Environments that have it already: choosing it there is right, and installs nothing. */
  readonly builtInto?: readonly PlatformEnvironment[];
  /** Environments that it can be installed in, and why not elsewhere. @default - all */
  readonly onlyIn?: { readonly environments: readonly PlatformEnvironment[]; readonly reason: string };
  /** Fields that others than its manifests write, so that a delivery must not write them back. */
  readonly ownedByControllers?: readonly OwnedFields[];
  readonly pin: VersionPin;
}

/** Fields of objects that a controller writes. */
export interface OwnedFields {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
  readonly pointers?: readonly string[];
  /** Expressions of jq, for fields in lists. */
  readonly jqPaths?: readonly string[];
  /** Who writes them, and why. */
  readonly reason: string;
}
