/** Storage that is paid by its size, and what else is paid and has no size here. */
import { at, fieldsAt, listAt, numberAt, textAt } from './fields';
import type { StackResource } from './pulumi-preview';
import type { Surroundings } from './surroundings';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { Store } from '../../model/cost/pools';
import { range, times } from '../../model/cost/ranges';
import { tryParseQuantity } from '../../model/quantities';

/** Claims, and those that a StatefulSet makes for each of its pods. */
export function storesOf(objects: readonly ManifestObject[], surroundings: Surroundings): Store[] {
  return objects.flatMap((object): Store[] => {
    const { kind = '', metadata } = object;
    if (kind === 'PersistentVolumeClaim') {
      return [storeOf(kind, metadata?.name ?? '', metadata?.namespace, at(object, 'spec'))];
    }
    if (kind === 'StatefulSet') {
      const replicas = surroundings.scaled(object) ?? range(numberAt(object, 'spec', 'replicas') ?? 1);
      return listAt(object, 'spec', 'volumeClaimTemplates').map((claim) => {
        const store = storeOf(kind, `${metadata?.name} (${textAt(claim, 'metadata', 'name')})`, metadata?.namespace, claim.spec);
        return { ...store, GiB: times(store.GiB, replicas) };
      });
    }
    return [];
  });
}

function storeOf(kind: string, name: string, namespace: string | undefined, spec: unknown): Store {
  const type = textAt(spec, 'storageClassName');
  const bytes = tryParseQuantity(String(fieldsAt(spec, 'resources', 'requests').storage ?? '')) ?? 0;
  return { kind, name, ...(namespace !== undefined && { namespace }), ...(type !== undefined && type !== '' && { type }), GiB: range(bytes / 2 ** 30) };
}

/** Kinds of Config Connector and types of Pulumi that are paid, by the hour or by their use. */
const PAID: readonly string[] = [
  'ContainerCluster', 'StorageBucket', 'FilestoreInstance', 'RedisInstance', 'RedisCluster', 'SQLInstance', 'AlloyDBCluster', 'AlloyDBInstance', 'BigQueryDataset',
  'PubSubTopic', 'ArtifactRegistryRepository', 'ComputeInstance', 'ComputeRouterNAT',
  'gcp:container/cluster:Cluster', 'gcp:storage/bucket:Bucket', 'gcp:filestore/instance:Instance', 'gcp:redis/instance:Instance',
  'gcp:sql/databaseInstance:DatabaseInstance', 'gcp:alloydb/instance:Instance', 'gcp:bigquery/dataset:Dataset', 'gcp:pubsub/topic:Topic',
  'gcp:artifactregistry/repository:Repository', 'gcp:compute/instance:Instance', 'gcp:compute/routerNat:RouterNat', 'gcp:lustre/instance:Instance',
];

/** Something that is paid by another measure than machines. */
export interface OtherObject {
  readonly kind: string;
  readonly name: string;
}

/** What the table has a price for, and what is known to be paid. */
export function othersOf(
  objects: readonly ManifestObject[], resources: readonly StackResource[], priced: { readonly [kind: string]: number },
): { readonly priced: readonly OtherObject[]; readonly unpriced: readonly OtherObject[] } {
  const all = [
    ...objects.map(({ kind = '', metadata }) => ({ kind, name: metadata?.name ?? '' })),
    ...resources.map(({ type, name }) => ({ kind: type, name })),
  ];
  return {
    priced: all.filter(({ kind }) => Object.hasOwn(priced, kind)),
    unpriced: all.filter(({ kind }) => !Object.hasOwn(priced, kind) && PAID.includes(kind)),
  };
}
