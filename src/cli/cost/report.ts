/** All costs of a program. */
import { at, fieldsAt, listAt, numberAt, textAt } from './fields';
import { stackObjects, stackPools, type StackResource } from './pulumi-preview';
import { surroundingsOf, type Surroundings } from './surroundings';
import { workloadsOf } from './workloads';
import type { MissingPrice } from '../../model/cost/machines';
import { poolCost, storeCost, type PoolCost, type Store, type StoreCost } from '../../model/cost/pools';
import { NO_PRICES, type PriceTable } from '../../model/cost/prices';
import { range, sum, times, type Range } from '../../model/cost/ranges';
import { plusAmounts, workloadCost, type Amounts, type WorkloadCost } from '../../model/cost/workloads';
import { objectTitle, type ManifestObject } from '../../model/objects/manifest-object';
import { tryParseQuantity } from '../../model/quantities';
import { grouped } from '../text';

/** Objects that have an hourly price. */
export interface OtherCost {
  readonly kind: string;
  readonly count: number;
  readonly perHour: number;
}

/** A missing row, and the objects that need it. */
export interface WantedPrice extends MissingPrice {
  readonly wantedBy: readonly string[];
}

export interface CostReport {
  readonly prices?: PriceTable;
  readonly jobs: readonly WorkloadCost[];
  readonly services: readonly WorkloadCost[];
  readonly pools: readonly PoolCost[];
  readonly stores: readonly StoreCost[];
  readonly others: readonly OtherCost[];
  /** A sum is absent if one of its parts is. */
  readonly totals: {
    /** For all hours of the jobs. */
    readonly jobs?: Amounts;
    readonly jobDeviceHours?: Range;
    readonly servicesPerHour: Amounts;
    /** Of pools whose number of nodes is known. */
    readonly poolsPerHour: Amounts;
    readonly storagePerMonth?: Range;
  };
  readonly missing: readonly WantedPrice[];
  /** Objects that are billed, but have no price here. */
  readonly unpriced: readonly string[];
}

export interface CostInputs {
  readonly objects: readonly ManifestObject[];
  readonly resources: readonly StackResource[];
  /** @default - only hours */
  readonly prices?: PriceTable;
  /** Hours that each workload runs, unless its deadline comes before. */
  readonly hours?: number;
}

export function costReport({ objects: given, resources, prices, hours }: CostInputs): CostReport {
  const table = prices ?? NO_PRICES;
  const objects = [...given, ...stackObjects(resources)];
  const surroundings = surroundingsOf(objects);
  const workloads = workloadsOf(objects, surroundings).map((workload) => workloadCost(workload, table, hours));
  const [jobs, services] = [workloads.filter(({ workload }) => workload.nature === 'job'), workloads.filter(({ workload }) => workload.nature === 'service')];
  const pools = [...surroundings.pools, ...stackPools(resources)].map((pool) => poolCost(pool, table));
  const stores = storesOf(objects, surroundings).map((store) => storeCost(store, table));
  const others = othersOf(given, resources, table.objects);
  return {
    ...(prices !== undefined && { prices }),
    jobs,
    services,
    pools,
    stores,
    others: [...grouped(others.priced, ({ kind }) => kind)]
      .map(([kind, { length }]) => ({ kind, count: length, perHour: length * table.objects[kind] })),
    totals: {
      ...(jobs.every(({ total }) => total !== undefined) && {
        jobs: plusAmounts(jobs.map(({ total }) => total!)), jobDeviceHours: sum(jobs.map(({ deviceHours }) => deviceHours!)),
      }),
      servicesPerHour: plusAmounts(services.map(({ perHour }) => perHour)),
      poolsPerHour: plusAmounts(pools.filter(({ pool }) => pool.nodes !== undefined).map(({ perHour }) => perHour)),
      ...(stores.every(({ perMonth }) => perMonth !== undefined) && { storagePerMonth: sum(stores.map(({ perMonth }) => perMonth!)) }),
    },
    missing: wanted([
      ...workloads.map(({ workload, missing }) => ({ title: objectTitle(workload), missing })),
      ...pools.map(({ pool, missing }) => ({ title: objectTitle(pool), missing })),
      ...stores.map(({ store, missing }) => ({ title: objectTitle(store), missing })),
    ]),
    unpriced: others.unpriced.map(({ kind, name }) => `${kind} ${name}`),
  };
}

/** The missing rows, each with the objects that need it. */
export function wanted(all: readonly { readonly title: string; readonly missing: readonly MissingPrice[] }[]): WantedPrice[] {
  const rows = grouped(all.flatMap(({ title, missing }) => missing.map((price) => ({ ...price, title }))), ({ row }) => row);
  return [...rows].map(([row, same]) => ({ row, message: same[0].message, wantedBy: [...new Set(same.map(({ title }) => title))] }));
}

/** Claims, and those of the pods of StatefulSets. */
function storesOf(objects: readonly ManifestObject[], surroundings: Surroundings): Store[] {
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

/** Kinds of Config Connector and types of Pulumi that are billed. */
const PAID: readonly string[] = [
  'ContainerCluster', 'StorageBucket', 'FilestoreInstance', 'RedisInstance', 'RedisCluster', 'SQLInstance', 'AlloyDBCluster', 'AlloyDBInstance', 'BigQueryDataset',
  'PubSubTopic', 'ArtifactRegistryRepository', 'ComputeInstance', 'ComputeRouterNAT',
  'gcp:container/cluster:Cluster', 'gcp:storage/bucket:Bucket', 'gcp:filestore/instance:Instance', 'gcp:redis/instance:Instance',
  'gcp:sql/databaseInstance:DatabaseInstance', 'gcp:alloydb/instance:Instance', 'gcp:bigquery/dataset:Dataset', 'gcp:pubsub/topic:Topic',
  'gcp:artifactregistry/repository:Repository', 'gcp:compute/instance:Instance', 'gcp:compute/routerNat:RouterNat', 'gcp:lustre/instance:Instance',
];

interface OtherObject {
  readonly kind: string;
  readonly name: string;
}

/** Objects with a price in the table, and others that are billed. */
function othersOf(
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
