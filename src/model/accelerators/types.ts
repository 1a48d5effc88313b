/**
 * What is known of an accelerator of GKE. The tables in `data/` are compiled from Google's autoscaler and the other sources that each entry
 * names; `null` says that no source was found, and a rule that meets one warns and never fails.
 */
import type { SourceName } from './sources';

export type DiskType =
  | 'pd-standard' | 'pd-balanced' | 'pd-ssd' | 'pd-extreme'
  | 'hyperdisk-balanced' | 'hyperdisk-balanced-high-availability' | 'hyperdisk-extreme' | 'hyperdisk-throughput' | 'hyperdisk-ml';

/** Local SSDs (375 GB each) of a machine type. */
export type LocalSsd =
  | { readonly mode: 'none' }
  /** The machine comes with them: a pool must not count them. */
  | { readonly mode: 'automatic'; readonly count: number }
  | { readonly mode: 'optional'; readonly allowedCounts: readonly number[] };

export interface MachineType {
  readonly name: string;
  /** GPUs or TPU chips that the machine comes with; undefined on N1, where GPUs are attached. */
  readonly devices?: number;
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly localSsd: LocalSsd;
  /** Autoprovisioning does not choose it by itself. @default false */
  readonly explicitRequestOnly?: boolean;
  /** Neither flex-start nor queued provisioning gets it. @default false */
  readonly dwsDisabled?: boolean;
  /** Boot disks where they are not the accelerator's. */
  readonly bootDiskTypes?: readonly DiskType[];
  readonly confidentialNodeTypes?: readonly string[];
  /** Part of a GPU that the one device of a fractional shape is, such as 1/8. @default - whole GPUs */
  readonly gpuFraction?: string;
  /** TPU topology of the machine by itself; null where it is only part of larger slices. */
  readonly singleHostTopology?: string | null;
}

/** How nodes of the largest machine type talk to each other, in addition to their ordinary interface. */
export type Networking = 'none' | 'gvnic' | 'tcpx' | 'tcpxo' | 'rdma';

/** The additional networks of the machine types that have them. */
export interface NetworkDetail {
  /** Machine types with these networks. @default - all of the accelerator */
  readonly appliesTo?: readonly string[];
  /** Interfaces that only carry data between GPUs, each in a network of its own. */
  readonly dataNics?: number;
  readonly rdmaNics?: number;
  /** Further networks with ordinary interfaces. */
  readonly extraGvnic?: number;
  /** Further interfaces by machine type, of TPUs. */
  readonly extraNics?: { readonly [machineType: string]: number };
  readonly mtu: number;
  /** Network profile of the VPC, with the zone to fill in. */
  readonly networkProfile?: string;
}

/** A size that GPUs can be partitioned into, and how many of them one GPU gives. */
export interface MigProfile {
  readonly profile: string;
  readonly perGpu: number;
}

export interface AcceleratorBase {
  /** Value of the node label, and the name in every API of GKE. */
  readonly type: string;
  /** Name for people. */
  readonly title: string;
  readonly memoryGiB: number | null;
  /** GPUs or chips that a node can have. */
  readonly counts: readonly number[];
  readonly machineFamily: string;
  readonly machines: readonly MachineType[];
  readonly architecture: 'amd64' | 'arm64';
  readonly networking: Networking;
  readonly network?: NetworkDetail;
  readonly bootDiskTypes: readonly DiskType[];
  readonly defaultBootDiskType: DiskType;
  readonly attachableDiskTypes: readonly DiskType[];
  readonly confidentialOnlyDiskTypes?: readonly DiskType[];
  readonly spot: boolean | null;
  readonly sources: readonly SourceName[];
}

export interface GpuAccelerator extends AcceleratorBase {
  readonly kind: 'gpu';
  /** Whether it is attached to N1 machines instead of coming with a machine type. */
  readonly attachableToN1: boolean;
  /** Most vCPUs of an N1 machine by the number of GPUs. */
  readonly maxVcpuByCount?: { readonly [count: number]: number };
  /** Whether the number above is disputed between sources. @default false */
  readonly maxVcpuDisputed?: boolean;
  readonly migProfiles: readonly MigProfile[];
  /** Sizes that the driver knows and the autoscaler refuses. */
  readonly migDriverOnly: readonly string[];
  readonly compactPlacementMaxNodes?: number;
  /** False where machines are never had on demand. @default - not known */
  readonly onDemand?: false;
  /** Topology of NVLink over nodes, which a workload policy asks for. */
  readonly nvlinkTopology?: string;
  /** Why it cannot be used any more. */
  readonly endOfSupport?: string;
}

export interface TopologyRule {
  readonly dims: 2 | 3;
  /** All that there are, of two dimensions. */
  readonly allowed?: readonly string[];
  /** Those below one cube of 4x4x4, of three dimensions. */
  readonly small?: readonly string[];
  /** Most cubes of 4x4x4 that a slice can have. */
  readonly maxCubes?: number;
  /** The topology of one chip alone, where it is offered. */
  readonly singleChip?: string;
  readonly multiHostMachineType?: string;
  /** There is no slice of one host. @default false */
  readonly multiHostOnly?: boolean;
  /** Whether tools disagree on dimensions that are not in ascending order. @default false */
  readonly unsortedDisputed?: boolean;
}

export interface TpuAccelerator extends AcceleratorBase {
  readonly kind: 'tpu';
  readonly generation: string;
  readonly topology: TopologyRule;
  /** Whether flex-start and queued provisioning get it. */
  readonly dws: boolean;
  /** Slices are placed by a workload policy, and compact placement is refused. @default false */
  readonly workloadPolicy?: boolean;
  /** What is not certain about it as a whole. */
  readonly caution?: string;
}

export type AcceleratorInfo = GpuAccelerator | TpuAccelerator;
