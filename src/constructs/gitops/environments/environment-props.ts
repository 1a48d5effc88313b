import type { Size, YamlOutputType } from 'cdk8s';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import type { TeamQuota } from '../../platform/tenancy/team-props';
import type { TrainingResources } from '../../training-job/pods/resources';

/** Names that most programs use, in the order in which things are promoted. */
export enum EnvironmentName {
  /** Where people try things. */
  DEV = 'dev',
  /** Where what was tried is tested. */
  QA = 'qa',
  /** Where it is tested at full size. */
  STRESS = 'stress',
  /** Where it counts. */
  PROD = 'prod',
}

/** How something gets into an environment. */
export enum PromotionMode {
  /** The generated workflow promotes and commits as soon as the source has changed. */
  AUTOMATIC = 'automatic',
  /** A person starts the workflow, which opens a pull request that a person merges. */
  PULL_REQUEST = 'pull-request',
}

/** Where versions and images of an environment come from. */
export interface Promotion {
  /** Name of the environment that they were in before. @default - the environment before this one in the list */
  readonly from?: string;
  /** How they get from there. @default PromotionMode.PULL_REQUEST */
  readonly mode?: PromotionMode;
}

/** How large something is in an environment. What is left out is undefined there. */
export interface EnvironmentSize {
  /** Replicas: of a job, a server, whatever the program gives it to. @default - undefined */
  readonly replicas?: number;
  /** Accelerators of a replica. @default - undefined */
  readonly accelerator?: AcceleratorRequest;
  /** Compute of a replica. @default - undefined */
  readonly resources?: TrainingResources;
  /** Space of a claim or a store. @default - undefined */
  readonly storage?: Size;
}

/** One environment: what differs there. */
export interface EnvironmentProps {
  /**
   * Name of the environment, and of its folder: at most 20 lower-case letters, digits and dashes. `EnvironmentName` has the usual ones.
   */
  readonly name: string;

  /** API server of its cluster, for deliveries that name one. @default - the cluster of Argo CD */
  readonly server?: string;

  /**
   * What precedes the names of its namespaces, such as `dev-`: several environments can share a cluster.
   * @default - nothing
   */
  readonly namespacePrefix?: string;

  /**
   * Branch, tag or commit that is delivered. Not together with a settings file.
   * @default - the settings file's, else that of the delivery
   */
  readonly revision?: string;

  /**
   * Where versions and images come from. Not together with a settings file.
   * @default - the settings file's, else the environment before, by pull request; the first one has none
   */
  readonly promotion?: Promotion;

  /** Sizes by name, for `environment.size(name)`. @default - none */
  readonly sizes?: { readonly [name: string]: EnvironmentSize };

  /** Quotas by team, for `environment.quota(team)`. @default - none */
  readonly quotas?: { readonly [team: string]: TeamQuota };

  /**
   * Versions by component, for `environment.version(component)`. Not together with a settings file, which has them then.
   * @default - the settings file's
   */
  readonly versions?: { readonly [component: string]: string };

  /**
   * Images by what they are for, for `environment.image(name)`, with a tag or a digest. Not together with a settings file, which has
   * them then.
   * @default - the settings file's
   */
  readonly images?: { readonly [name: string]: string };
}

/** Properties of `Environments`. */
export interface EnvironmentsProps {
  /**
   * The environments, in the order in which things are promoted.
   * @default - those of the settings file; without one dev, qa, stress and prod
   */
  readonly environments?: EnvironmentProps[];

  /**
   * Path of a YAML or JSON file with versions, images, revisions and the chain of promotion, which `trainyard promote` writes.
   * @default - everything is in the program
   */
  readonly settings?: string;

  /** Folder that gets a folder of each environment. @default - what cdk8s says, else dist */
  readonly outdir?: string;

  /** How the files of an environment are divided. @default YamlOutputType.FILE_PER_CHART */
  readonly yamlOutputType?: YamlOutputType;
}
