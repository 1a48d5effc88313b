import { ApiObject, Lazy, type Size } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { clusterObject } from '../../rendering/objects';
import type { ModelStorage } from './model-storage';
import { KSERVE_V1ALPHA1 } from '../../../manifests/serving/inference-graph';
import { constructLocalModelCacheSpec, constructNodeGroupSpec } from '../../../manifests/serving/platform-objects';
import { validateLocalModelCache, validateNodeGroup, type LocalModelCacheSpec, type LocalModelNodeGroupSpec } from '../../../model/serving/cache';
import { checkProps } from '../../props/check-props';
import { reportAtSynth } from '../../rendering/problems';

/** Properties of a `LocalModelNodeGroup`. */
export interface LocalModelNodeGroupProps extends kplus.ResourceProps {
  /** Space for models on each node. */
  readonly limit: Size;
  /** Mount point of the local disks, such as `/mnt/disks/ssd0`. */
  readonly path: string;
  /** Labels of the nodes. */
  readonly nodeSelector: { readonly [label: string]: string };
  /** StorageClass for local volumes. @default local-storage */
  readonly storageClassName?: string;
}

/**
 * Nodes whose disks cache models, so that a replica starts without a download.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/modelcache/localmodel
 * @example
 * import { Size } from 'cdk8s';
 * import { LocalModelNodeGroup } from 'trainyard/serving';
 *
 * new LocalModelNodeGroup(chart, 'Ssd', {
 *   metadata: { name: 'ssd' },
 *   limit: Size.tebibytes(1),
 *   path: '/mnt/disks/ssd0',
 *   nodeSelector: { 'cloud.google.com/gke-nodepool': 'h100' },
 * });
 */
export class LocalModelNodeGroup extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'localmodelnodegroups';

  /** Space for models on each node. */
  public readonly limit: Size;

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: LocalModelNodeGroupProps) {
    super(scope, id);
    checkProps(this, 'LocalModelNodeGroupProps', props);
    this.limit = props.limit;
    const spec: LocalModelNodeGroupSpec = {
      limit: props.limit.asString(), path: props.path, storageClassName: props.storageClassName ?? 'local-storage', nodeSelector: props.nodeSelector,
    };
    this.apiObject = clusterObject(this, 'Resource', {
      apiVersion: KSERVE_V1ALPHA1,
      kind: 'LocalModelNodeGroup',
      metadata: props.metadata,
      spec: constructNodeGroupSpec(spec),
    });
    reportAtSynth(this, `LocalModelNodeGroup '${this.name}'`, () => validateNodeGroup(this.name, spec));
  }
}

/** Properties of a `LocalModelCache`. */
export interface LocalModelCacheProps extends kplus.ResourceProps {
  /** The model. Services with the same URI, or a folder below it, use the cache. */
  readonly model: ModelStorage;

  /** Size of the model on each node. */
  readonly size: Size;

  /** Nodes that cache it. @default - none; see `addNodeGroup` */
  readonly nodeGroups?: LocalModelNodeGroup[];

  /** Whether only services in the cache's namespace use it. @default false - the services of all namespaces */
  readonly ofNamespace?: boolean;

  /**
   * Service account with the secrets for the download, in the namespace of KServe's download jobs (`kserve-localmodel-jobs` by default).
   * @default - none
   */
  readonly serviceAccount?: kplus.IServiceAccount;
}

/**
 * A model that is cached on the disks of nodes.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/modelcache/localmodel
 * @example
 * import { Size } from 'cdk8s';
 * import { LocalModelCache, LocalModelNodeGroup, ModelStorage } from 'trainyard/serving';
 *
 * const ssd = new LocalModelNodeGroup(chart, 'Ssd', {
 *   limit: Size.tebibytes(1),
 *   path: '/mnt/disks/ssd0',
 *   nodeSelector: { 'cloud.google.com/gke-nodepool': 'h100' },
 * });
 * new LocalModelCache(chart, 'Qwen', {
 *   model: ModelStorage.huggingFace('Qwen/Qwen3-8B'),
 *   size: Size.gibibytes(20),
 *   nodeGroups: [ssd],
 * });
 */
export class LocalModelCache extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string;

  protected readonly apiObject: ApiObject;

  private readonly props: LocalModelCacheProps;
  private readonly groups: LocalModelNodeGroup[] = [];

  public constructor(scope: Construct, id: string, props: LocalModelCacheProps) {
    super(scope, id);
    checkProps(this, 'LocalModelCacheProps', props);
    this.props = props;
    const isNamespaced = props.ofNamespace ?? false;
    this.resourceType = isNamespaced ? 'localmodelnamespacecaches' : 'localmodelcaches';
    const object = {
      apiVersion: KSERVE_V1ALPHA1,
      kind: isNamespaced ? 'LocalModelNamespaceCache' : 'LocalModelCache',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructLocalModelCacheSpec(this.toSpec()) }),
    };
    this.apiObject = isNamespaced ? new PlainApiObject(this, 'Resource', object) : clusterObject(this, 'Resource', object);
    (props.nodeGroups ?? []).forEach((group) => this.addNodeGroup(group));
    reportAtSynth(this, `${this.kind} '${this.name}'`, () => validateLocalModelCache(this.name, this.toSpec()));
  }

  /** Nodes that cache the model, as a copy. */
  public get nodeGroups(): LocalModelNodeGroup[] {
    return [...this.groups];
  }

  /** Adds a group of nodes that cache the model. */
  public addNodeGroup(group: LocalModelNodeGroup): void {
    this.groups.push(group);
    this.node.addDependency(group);
  }

  private toSpec(): LocalModelCacheSpec {
    const { model, size, serviceAccount } = this.props;
    return {
      uri: model.location,
      size: size.asString(),
      nodeGroups: this.groups.map(({ name, limit }) => ({ name, limit: limit.asString() })),
      serviceAccountName: serviceAccount?.name,
    };
  }
}
