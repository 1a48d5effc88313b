import type { ArtifactStore } from './artifact-store';
import type { ComponentName } from './component-name';
import type { Delivery } from './delivery';
import type { PlatformEnvironment, PlatformPreset, ServiceMesh } from './enums';
import type { IdentityProvider } from './identity-provider';
import type { MetadataDatabase } from './metadata-database';
import type { PlatformComponent } from './platform-component';
import type { PlatformDomain } from './platform-domain';

/**
 * A component that the cluster has already, from somebody else.
 */
export interface ExistingComponent {
  /**
   * Which one.
   */
  readonly name: ComponentName;

  /**
   * Its version, which is checked against those of the platform.
   *
   * @default - the catalogue's
   */
  readonly version?: string;
}

/**
 * Properties of a `KubeflowPlatform`.
 */
export interface KubeflowPlatformProps {
  /**
   * Where the platform runs.
   */
  readonly environment: PlatformEnvironment;

  /**
   * What brings it there.
   */
  readonly delivery: Delivery;

  /**
   * Set of components to begin with.
   *
   * @default - `components` alone
   */
  readonly preset?: PlatformPreset;

  /**
   * Components more than the preset's, and settings of those in it.
   *
   * @default - none
   */
  readonly components?: PlatformComponent[];

  /**
   * Components of the preset that are left out.
   *
   * @default - none
   */
  readonly without?: ComponentName[];

  /**
   * Components that the cluster has already. They are not installed.
   *
   * @default - none
   */
  readonly existing?: ExistingComponent[];

  /**
   * Release of Kubernetes, such as `1.34`: components that need a later one are refused.
   *
   * @default - not asked about
   */
  readonly kubernetesVersion?: string;

  /**
   * Where pipelines and experiments keep files.
   *
   * @default ArtifactStore.inCluster()
   */
  readonly artifactStore?: ArtifactStore;

  /**
   * Where pipelines keep what ran.
   *
   * @default MetadataDatabase.mysqlInCluster()
   */
  readonly database?: MetadataDatabase;

  /**
   * Who people are.
   *
   * @default IdentityProvider.dex()
   */
  readonly identity?: IdentityProvider;

  /**
   * Whose mesh it is.
   *
   * @default ServiceMesh.ISTIO
   */
  readonly mesh?: ServiceMesh;

  /**
   * Where people find it.
   *
   * @default - any host name, without TLS: for `kubectl port-forward`
   */
  readonly domain?: PlatformDomain;

  /**
   * Charts of this program that are delivered after the components, each one after the one before: teams with their queues, then jobs.
   * `platform.chart(name)` is where their objects go. Argo CD does not undo what queues and people write into `suspend` of jobs in them; with another
   * delivery, leave `suspend` to them. At most 22 lower-case letters, digits and dashes each.
   *
   * @default - components alone
   */
  readonly charts?: string[];

  /**
   * Name of the platform: of its files, and the beginning of the names of what delivers it. At most 40 lower-case letters, digits and dashes.
   *
   * @default - the construct's id, in lower case
   */
  readonly name?: string;
}
