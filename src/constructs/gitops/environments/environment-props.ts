import type { Size, YamlOutputType } from 'cdk8s';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { TeamQuota } from '../../platform/tenancy/team-props';
import type { TrainingResources } from '../../training-job/pods/resources';

/** Common names of environments, in the order of promotion. */
export enum EnvironmentName {
  /** Development. */
  DEV = 'dev',
  /** Functional tests. */
  QA = 'qa',
  /** Tests at full size. */
  STRESS = 'stress',
  /** Production. */
  PROD = 'prod',
}

/** How changes are promoted to an environment. */
export enum PromotionMode {
  /** The generated workflow promotes and commits when the source has changed. */
  AUTOMATIC = 'automatic',
  /** You start the workflow, which opens a pull request for you to merge. */
  PULL_REQUEST = 'pull-request',
}

/** Where versions and images of an environment come from. */
export interface Promotion {
  /** Name of the environment to promote from. @default - the previous environment in the list */
  readonly from?: string;
  /** How changes are promoted. @default PromotionMode.PULL_REQUEST */
  readonly mode?: PromotionMode;
}

/** Sizes in an environment, for example of a job or a server. */
export interface EnvironmentSize {
  /** Number of replicas. @default - undefined */
  readonly replicas?: number;
  /** Accelerators of a replica. @default - undefined */
  readonly accelerator?: AcceleratorRequest;
  /** Compute of a replica. @default - undefined */
  readonly resources?: TrainingResources;
  /** Space of a claim or a store. @default - undefined */
  readonly storage?: Size;
}

/** One environment and its differences. */
export interface EnvironmentProps {
  /**
   * Name of the environment, and of its folder: at most 20 lower-case letters, digits and dashes. `EnvironmentName` has the usual ones.
   */
  readonly name: string;

  /** API server of its cluster, for deliveries that name one. @default - the cluster of Argo CD */
  readonly server?: string;

  /**
   * Prefix of its namespaces, such as `dev-`, so that several environments can share a cluster.
   * @default - none
   */
  readonly namespacePrefix?: string;

  /**
   * Branch, tag or commit that is delivered. Not together with a settings file.
   * @default - the settings file's, else the delivery's
   */
  readonly revision?: string;

  /**
   * Where versions and images come from. Not together with a settings file.
   * @default - the settings file's, else the previous environment, by pull request; the first one has none
   */
  readonly promotion?: Promotion;

  /** Sizes by name, for `environment.size(name)`. @default - none */
  readonly sizes?: { readonly [name: string]: EnvironmentSize };

  /** Quotas by team, for `environment.quota(team)`. @default - none */
  readonly quotas?: { readonly [team: string]: TeamQuota };

  /**
   * Versions by component, for `environment.version(component)`. With a settings file, set them there.
   * @default - the settings file's
   */
  readonly versions?: { readonly [component: string]: string };

  /**
   * Images by name, for `environment.image(name)`, with a tag or a digest. With a settings file, set them there.
   * @default - the settings file's
   */
  readonly images?: { readonly [name: string]: string };
}

/** Properties of `Environments`. */
export interface EnvironmentsProps {
  /**
   * The environments, in the order of promotion.
   * @default - those of the settings file; without one, dev, qa, stress and prod
   */
  readonly environments?: EnvironmentProps[];

  /**
   * Path of a YAML or JSON file with versions, images, revisions and the promotion chain, which `trainyard promote` updates.
   * @default - everything is in the program
   */
  readonly settings?: string;

  /** Output folder, with a subfolder for each environment. @default - the output folder of cdk8s, else dist */
  readonly outdir?: string;

  /** How objects are split into files. @default YamlOutputType.FILE_PER_CHART */
  readonly yamlOutputType?: YamlOutputType;
}
