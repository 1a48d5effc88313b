/** Shared by constructs with a Ray cluster: its groups, additional objects, and violations. */
import { ApiObject, Lazy } from 'cdk8s';
import type { ResourceProps } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { generatedName } from '../../rendering/objects';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { RayClusterOptions, RayQueueOptions } from './cluster-options';
import { rayAcceleratorProblems, rayClusterSpec, rayCredentialUses, rayQueueSpec } from './cluster-to-spec';
import type { RayWorkerGroup } from './group';
import { ingressAnnotations, RAY_API_VERSION } from '../../../manifests/ray/cluster';
import { queueAnnotations, rayLabels } from '../../../manifests/ray/metadata';
import { constructRedis } from '../../../manifests/ray/redis';
import { RAY_NAME_LIMITS, type RayKind } from '../../../model/ray/names';
import type { RayClusterSpec } from '../../../model/ray/spec';
import { formatViolation } from '../../../model/violations';
import { dependOn, namespaceProblems } from '../../credentials/with-credentials';
import { checkTypes } from '../../props/check-props';

/** The cluster of a construct. */
export class RayClusterParts {
  private readonly groups: RayWorkerGroup[];

  /** @param owner construct with the cluster */
  public constructor(private readonly owner: Construct, private readonly kind: RayKind, private readonly options: RayClusterOptions) {
    this.groups = [...options.workerGroups ?? []];
    dependOn(owner, rayCredentialUses(options, this.groups));
  }

  /** The worker groups, as a copy. */
  public get workerGroups(): RayWorkerGroup[] {
    return [...this.groups];
  }

  /** Adds a group. */
  public addWorkerGroup(group: RayWorkerGroup): void {
    checkTypes('RayClusterParts.addWorkerGroup', 'RayWorkerGroup', group);
    if (this.groups.some(({ name }) => name === group.name)) {
      throw new Error(`${this.kind} at '${this.owner.node.path}': already has a group '${group.name}'. Use another name.`);
    }
    this.groups.push(group);
    dependOn(this.owner, group.credentials ?? []);
  }

  /** The cluster as a spec. */
  public get spec(): RayClusterSpec {
    return rayClusterSpec(`${this.kind} at '${this.owner.node.path}'`, this.options, this.groups);
  }

  /**
   * Creates the Redis of a cluster with its own, to be applied first.
   * @param object object of the cluster
   */
  public addRedis(object: ApiObject): void {
    const { faultTolerance } = this.spec;
    if (faultTolerance?.backend !== 'redis' || faultTolerance.own === undefined) {
      return;
    }
    const { service, statefulSet } = constructRedis(object.name, faultTolerance.own);
    for (const [id, manifest] of [['RedisService', service], ['Redis', statefulSet]] as const) {
      object.addDependency(new PlainApiObject(this.owner, id, { ...manifest, metadata: { ...manifest.metadata, ...sameNamespace(object) } }));
    }
  }

  /** Violations of accelerators and credentials. The model checks everything else. */
  public problems(path: string, namespace: string | undefined): string[] {
    return [
      ...rayAcceleratorProblems(this.options, this.groups, this.spec, path).map(formatViolation),
      ...namespaceProblems(namespace, rayCredentialUses(this.options, this.groups)),
    ];
  }
}

/** The name that the chart gives, or a shorter one if names that KubeRay derives from it would be too long. */
export function generateRayName(scope: Construct, kind: RayKind): string {
  return generatedName(scope, { apiVersion: RAY_API_VERSION, kind }, RAY_NAME_LIMITS[kind].length);
}

/**
 * Adds the object of a construct with a Ray cluster.
 * @param cluster the cluster, if it is the construct's own
 * @param annotations annotations that override those of the properties
 */
export function addRayObject(
  owner: Construct, kind: RayKind, props: ResourceProps & RayQueueOptions, cluster: RayClusterSpec | undefined, spec: () => object,
  annotations: { readonly [name: string]: string } = {},
): ApiObject {
  const { metadata } = props;
  const queue = rayQueueSpec(props);
  return new PlainApiObject(owner, 'Resource', {
    apiVersion: RAY_API_VERSION,
    kind,
    metadata: {
      ...metadata,
      name: metadata?.name ?? generateRayName(owner, kind),
      labels: { ...metadata?.labels, ...rayLabels(queue) },
      annotations: { ...(cluster && ingressAnnotations(cluster)), ...metadata?.annotations, ...queueAnnotations(queue, cluster), ...annotations },
    },
    spec: Lazy.any({ produce: spec }),
  });
}

/** Metadata for an object in the same namespace. */
export function sameNamespace({ metadata: { namespace } }: ApiObject): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
