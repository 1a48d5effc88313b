import { Lazy, type ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { clusterObject } from '../../rendering/objects';
import { KSERVE_V1ALPHA1 } from '../../../manifests/serving/inference-graph';
import { constructStorageContainerSpec } from '../../../manifests/serving/platform-objects';
import { validateStorageContainer, type StorageContainerSpec } from '../../../model/serving/runtime';
import { envVars } from '../../training-job/pods/kplus-values';
import type { TrainingResources } from '../../training-job/pods/resources';
import { resources } from '../../training-job/to-spec';
import { checkProps, checkTypes } from '../../props/check-props';
import { reportAtSynth } from '../../rendering/problems';

/** Properties of a `ModelStorageContainer`. */
export interface ModelStorageContainerProps extends kplus.ResourceProps {
  /** Image for downloads. Its entry point gets the URI and the folder as arguments. */
  readonly image: string;
  /** Prefixes of URIs that it downloads, such as `dvc://`. @default - none */
  readonly prefixes?: string[];
  /** Regular expressions for URIs that it downloads. @default - none */
  readonly patterns?: string[];
  /** Environment of the container. @default - the image's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };
  /** Compute of the container. @default - no requests */
  readonly resources?: TrainingResources;
  /** Whether it accepts several pairs of URI and folder. @default false */
  readonly downloadsSeveral?: boolean;
}

/** Options of `ModelStorageContainer.modelRegistry`. */
export interface ModelRegistryOptions {
  /** Image of the registry's storage initializer, in the registry's version. */
  readonly image: string;
  /** Host and port of the registry, such as `model-registry-service.kubeflow.svc.cluster.local:8080`. */
  readonly server: string;
}

/**
 * A container that downloads models with a URI scheme that KServe does not support. It is cluster-scoped.
 * @see https://kserve.github.io/website/docs/model-serving/storage/storage-containers
 * @example
 * import { ModelStorageContainer } from 'trainyard/serving';
 *
 * ModelStorageContainer.modelRegistry(chart, 'Registry', {
 *   image: 'registry.example/model-registry/storage-initializer:1',
 *   server: 'model-registry-service.kubeflow.svc.cluster.local:8080',
 * });
 */
export class ModelStorageContainer extends kplus.Resource {
  /** The container of Kubeflow's Model Registry, for `ModelStorage.modelRegistry`. */
  public static modelRegistry(scope: Construct, id: string, options: ModelRegistryOptions): ModelStorageContainer {
    checkTypes('ModelStorageContainer.modelRegistry', 'ModelRegistryOptions', options);
    return new ModelStorageContainer(scope, id, {
      image: options.image,
      prefixes: ['model-registry://'],
      env: { MODEL_REGISTRY_BASE_URL: kplus.EnvValue.fromValue(options.server), MODEL_REGISTRY_SCHEME: kplus.EnvValue.fromValue('http') },
      metadata: { name: 'model-registry-storage-initializer' },
    });
  }

  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'clusterstoragecontainers';

  protected readonly apiObject: ApiObject;

  private readonly props: ModelStorageContainerProps;

  public constructor(scope: Construct, id: string, props: ModelStorageContainerProps) {
    super(scope, id);
    checkProps(this, 'ModelStorageContainerProps', props);
    this.props = props;
    this.apiObject = clusterObject(this, 'Resource', {
      apiVersion: KSERVE_V1ALPHA1,
      kind: 'ClusterStorageContainer',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructStorageContainerSpec(this.toSpec()) }),
    });
    reportAtSynth(this, `ClusterStorageContainer '${this.name}'`, () => validateStorageContainer(this.toSpec()));
  }

  private toSpec(): StorageContainerSpec {
    const { image, prefixes = [], patterns = [], env = {}, downloadsSeveral } = this.props;
    const formats = [...prefixes.map((prefix) => ({ prefix })), ...patterns.map((regex) => ({ regex }))];
    return { image, formats, env: envVars(env), resources: this.props.resources && resources(this.props.resources), downloadsSeveral };
  }
}
