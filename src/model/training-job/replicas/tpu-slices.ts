/**
 * TPU slices of several hosts. Each pod is one host of a slice, and libtpu has to know which one, and where the others are. Slices that work together
 * (Multislice) find each other by a coordinator. GKE says the same to pods of Indexed Jobs, and to no others.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice
 * @see https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/accelerators/tpu.go
 */
import { selectedLabels } from '../accelerator-labels';
import type { EnvVarSpec } from '../spec';
import { NODE_LABELS } from '../../accelerators/labels';
import { hostsOf, slicesOf } from '../../accelerators/topology';
import type { AddressBook } from '../../frameworks/address-book';
import { variable, type Replica, type ReplicaContext, type ResolvedRole, type ResolvedTrainingJob } from '../../frameworks/contract';

/** Number of a host in its slice, from 0. */
export const TPU_WORKER_ID = 'TPU_WORKER_ID';

/** Hosts of the slice, in the order of their numbers. */
const TPU_WORKER_HOSTNAMES = 'TPU_WORKER_HOSTNAMES';

/** All variables that are set here. A job may set them itself. */
export const TPU_VARIABLES: readonly string[] = [
  TPU_WORKER_ID, TPU_WORKER_HOSTNAMES, 'MEGASCALE_COORDINATOR_ADDRESS', 'MEGASCALE_NUM_SLICES', 'MEGASCALE_SLICE_ID',
];

/** Complete slices of several hosts that replicas of a job make. */
export interface TpuSlices {
  /** Such as `4x4`. */
  readonly topology: string;

  /** Hosts of each slice, which are replicas. */
  readonly hosts: number;

  readonly count: number;

  /** Number of the first one among all slices of the job. */
  readonly first: number;

  /** Roles whose replicas are the hosts, in the order of their ranks. */
  readonly roles: readonly ResolvedRole[];

  readonly replicas: readonly Replica[];
}

export interface SlicePlace {
  readonly slices: TpuSlices;

  /** Number of its slice among {@link slices}. */
  readonly slice: number;

  readonly worker: number;
}

const known = new WeakMap<ResolvedTrainingJob, readonly TpuSlices[]>();
const hostnames = new WeakMap<AddressBook, WeakMap<TpuSlices, readonly string[]>>();

/** Slices of several hosts that a job has: mostly none. Replicas that would leave one of them incomplete have none. */
export function tpuSlicesOf(job: ResolvedTrainingJob): readonly TpuSlices[] {
  const found = known.get(job) ?? findSlices(job);
  known.set(job, found);
  return found;
}

/** The place of a replica; undefined where it is not a host of such a slice. */
export function slicePlaceOf(job: ResolvedTrainingJob, replica: Replica): SlicePlace | undefined {
  const slices = tpuSlicesOf(job).find(({ roles }) => roles.some(({ name }) => name === replica.role));
  if (slices === undefined) {
    return undefined;
  }
  // By arithmetic and not by a search: templates ask about a replica that stands for all of them.
  const [first] = slices.replicas;
  const number = slices.roles.length === 1 ? replica.index : replica.ordinal - first.ordinal;
  return slices.count === 1 ? { slices, slice: 0, worker: number }
    : { slices, slice: Math.floor(number / slices.hosts), worker: number % slices.hosts };
}

/** Variables of a replica that is a host of a slice. */
export function tpuEnvironment({ job, replica, addresses }: ReplicaContext): EnvVarSpec[] {
  const place = slicePlaceOf(job, replica);
  if (place === undefined) {
    return [];
  }
  const { slices, slice, worker } = place;
  const hosts = hostnamesOf(slices, addresses);
  return [
    variable(TPU_WORKER_ID, worker),
    variable(TPU_WORKER_HOSTNAMES, hosts.slice(slice * slices.hosts, (slice + 1) * slices.hosts).join(',')),
    ...(slices.count === 1 ? [] : [
      variable('MEGASCALE_COORDINATOR_ADDRESS', hosts[0]),
      variable('MEGASCALE_NUM_SLICES', slices.count),
      variable('MEGASCALE_SLICE_ID', slice),
    ]),
  ];
}

function hostnamesOf(slices: TpuSlices, addresses: AddressBook): readonly string[] {
  const ofBook = hostnames.get(addresses) ?? new WeakMap<TpuSlices, readonly string[]>();
  hostnames.set(addresses, ofBook);
  const hosts = ofBook.get(slices) ?? slices.replicas.map((replica) => addresses.host(replica));
  ofBook.set(slices, hosts);
  return hosts;
}

function findSlices(job: ResolvedTrainingJob): readonly TpuSlices[] {
  if (job.spec.elastic !== undefined) {
    // A slice has all of its hosts or none.
    return [];
  }
  const groups = new Map<string, ResolvedRole[]>();
  for (const role of job.roles) {
    const { topology, key } = sliceOf(job, role) ?? {};
    if (topology !== undefined && key !== undefined) {
      groups.set(key, [...(groups.get(key) ?? []), role]);
    }
  }
  let first = 0;
  return [...groups.values()].flatMap((roles): TpuSlices[] => {
    const { topology } = sliceOf(job, roles[0])!;
    const chips = roles[0].resources.tpu!;
    const replicas = job.replicas.filter(({ role }) => roles.some(({ name }) => name === role));
    const hosts = hostsOf(topology, chips);
    const count = slicesOf(topology, chips, replicas.length);
    if (hosts === undefined || hosts < 2 || count === undefined || !areNeighbours(replicas)) {
      return [];
    }
    first += count;
    return [{ topology, hosts, count, first: first - count, roles, replicas }];
  });
}

/** The slice that a role's nodes are part of, by the labels that it selects. */
function sliceOf(job: ResolvedTrainingJob, role: ResolvedRole): { readonly topology: string; readonly key: string } | undefined {
  const { tpu = 0 } = role.resources;
  if (tpu === 0 || role.helper !== undefined) {
    return undefined;
  }
  const labels = selectedLabels(job, role);
  const topology = labels[NODE_LABELS.tpuTopology];
  return typeof topology === 'string' ? { topology, key: JSON.stringify([labels[NODE_LABELS.tpuAccelerator], topology, tpu]) } : undefined;
}

function areNeighbours(replicas: readonly Replica[]): boolean {
  return replicas[replicas.length - 1].ordinal - replicas[0].ordinal === replicas.length - 1;
}
