/** Sizes of stores: the least that there is, what is made and paid when less is asked for, and how fast it is where a source states it. */
import { hasClaim, type StoreBackend, type StoreSpec } from './store';
import { SOURCES } from '../accelerators/sources';

/** Size that a claim states where the volume has none: buckets and servers of NFS are as large as they are. */
const NOMINAL_GIB = 1024;

/** Smallest share of Azure's premium accounts. */
export const AZURE_PREMIUM_MIN_GIB = 100;

/** Throughput of all clients of a volume together. */
export interface Throughput {
  readonly read: number;
  /** @default - nothing is written */
  readonly write?: number;
  readonly unit: 'MiB/s' | 'MB/s';
  readonly source: string;
}

const TIB = 1024;

export interface FilestoreTier {
  /** Names of it in storage classes. */
  readonly names: readonly string[];
  /** Smallest and largest instance, in GiB. */
  readonly minGiB: number;
  readonly maxGiB: number;
  readonly scope: 'zone' | 'region';
  readonly basic?: boolean;
}

/** Tiers, as the driver has them. The driver's newest takes less for the first one; releases of GKE round up to 1 TiB. */
export const FILESTORE_TIERS: readonly FilestoreTier[] = [
  { names: ['standard', 'basic_hdd'], minGiB: TIB, maxGiB: Math.floor(63.9 * TIB), scope: 'zone', basic: true },
  { names: ['premium', 'basic_ssd'], minGiB: 2.5 * TIB, maxGiB: Math.floor(63.9 * TIB), scope: 'zone', basic: true },
  { names: ['zonal'], minGiB: TIB, maxGiB: 100 * TIB, scope: 'zone' },
  { names: ['high_scale_ssd'], minGiB: 10 * TIB, maxGiB: 100 * TIB, scope: 'zone' },
  { names: ['regional'], minGiB: TIB, maxGiB: 100 * TIB, scope: 'region' },
  { names: ['enterprise'], minGiB: TIB, maxGiB: 10 * TIB, scope: 'region' },
];

/** MB/s of each TiB that there are. */
export const LUSTRE_THROUGHPUTS: readonly string[] = ['125', '250', '500', '1000'];

/** Smallest volume, in GiB. */
export const LUSTRE_MIN_GIB = 9000;

/** Of tiers with two ranges, the end of the first one. */
const LARGEST_SMALL_GIB = 9984;
const SMALL_UNIT_GIB = 256;
const LARGE_UNIT_GIB = 2560;

/** The tier of a name, or the driver's own choice. */
export function filestoreTier(name: string | undefined): FilestoreTier | undefined {
  const wanted = (name ?? 'standard').toLowerCase();
  return FILESTORE_TIERS.find(({ names }) => names.includes(wanted));
}

/** Size of the claim; undefined if it is not known. */
export function claimGiB({ sizeGiB, backend }: Pick<StoreSpec, 'sizeGiB' | 'backend'>): number | undefined {
  return sizeGiB ?? smallestGiB(backend);
}

/** What is claimed where no size is given. */
function smallestGiB(backend: StoreBackend): number | undefined {
  switch (backend.kind) {
    case 'filestore':
      return backend.maxShareGiB ?? filestoreTier(backend.tier)?.minGiB;
    case 'lustre':
      return LUSTRE_MIN_GIB;
    case 'gcsFuse':
    case 'nfs':
    case 'efs':
      return NOMINAL_GIB;
    default:
      return undefined;
  }
}

/** Whether the driver holds pods to the size of the claim, or makes a volume of that size. */
export function isSizeMeant({ kind }: StoreBackend): boolean {
  return !['gcsFuse', 'nfs', 'efs', 'claim', 'multiTier'].includes(kind);
}

/** What is made, and paid; undefined where it is counted otherwise, as in a bucket. */
export function paidGiB(spec: Pick<StoreSpec, 'sizeGiB' | 'backend'>): number | undefined {
  const size = claimGiB(spec);
  if (size === undefined || !isSizeMeant(spec.backend) || !hasClaim(spec)) {
    return undefined;
  }
  const { backend } = spec;
  const least = backend.kind === 'filestore' && backend.maxShareGiB === undefined ? filestoreTier(backend.tier)?.minGiB : undefined;
  return Math.max(size, least ?? 0);
}

/**
 * Price of a store for a month.
 * @param perGiB price of a GiB for a month, from the user: no table of prices is known here
 */
export function storagePricePerMonth(spec: Pick<StoreSpec, 'sizeGiB' | 'backend'>, perGiB: number): number | undefined {
  const size = paidGiB(spec);
  return size === undefined ? undefined : size * perGiB;
}

/** How fast a store is; undefined where no source states it. */
export function throughputOf(spec: Pick<StoreSpec, 'sizeGiB' | 'backend'>): Throughput | undefined {
  const { backend } = spec;
  const size = paidGiB(spec);
  if (size === undefined) {
    return undefined;
  }
  if (backend.kind === 'lustre') {
    const perTib = Number(backend.perUnitStorageThroughput);
    const all = perTib * size / TIB;
    return Number.isFinite(perTib) ? { read: all, write: all, unit: 'MB/s', source: SOURCES.lustre } : undefined;
  }
  if (backend.kind === 'hyperdiskMl') {
    return backend.throughputMiB === undefined ? undefined : { read: backend.throughputMiB, unit: 'MiB/s', source: 'provisioned-throughput-on-create' };
  }
  if (backend.kind !== 'filestore' || backend.maxShareGiB !== undefined) {
    return undefined;
  }
  const speed = filestoreSpeed(filestoreTier(backend.tier), size);
  return speed && { read: speed[0], write: speed[1], unit: 'MiB/s', source: SOURCES.filestoreSpeed };
}

/** What instances of a tier grow by, in GiB; undefined for the basic ones, which grow by one. */
export function filestoreUnitGiB(tier: FilestoreTier, sizeGiB: number): number | undefined {
  if (tier.basic) {
    return undefined;
  }
  return sizeGiB > LARGEST_SMALL_GIB && tier.names[0] !== 'enterprise' ? LARGE_UNIT_GIB : SMALL_UNIT_GIB;
}

/** Reads and writes in MiB/s: fixed for the basic tiers, by the TiB for all others. */
function filestoreSpeed(tier: FilestoreTier | undefined, sizeGiB: number): readonly [number, number] | undefined {
  const tib = sizeGiB / TIB;
  switch (tier?.names[0]) {
    case 'standard':
      return tib < 10 ? [100, 100] : [180, 120];
    case 'premium':
      return [1200, 350];
    case 'zonal':
    case 'high_scale_ssd':
      return [260 * tib, 88 * tib];
    case 'regional':
      return tib < 10 ? [120 * tib, 100 * tib] : [260 * tib, 88 * tib];
    case 'enterprise':
      return [120 * tib, 100 * tib];
    default:
      return undefined;
  }
}
