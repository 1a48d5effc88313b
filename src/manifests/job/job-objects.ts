/** All objects that a job owns, except its pods. */
import { constructGangObjects } from '../gang';
import type { JobOwnership } from './job-metadata';
import type { ConfigMap, Manifest, Secret, Service } from '../kubernetes';
import { constructMpiConfigMap, constructMpiSecret, needsMpiFiles } from './mpi-files';
import { replicaPodSpecs } from '../pod/replica-pod';
import { constructNetworkPolicies, type NetworkPolicy } from './network-policy';
import { constructServices } from './services';
import { constructToolsConfigMap, needsTools } from '../tools/tools-config-map';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/**
 * A Secret with random content, which is generated when the Secret is created (`MpiSshKeys`: see `withMpiSshKeys`). An existing Secret with that name
 * is kept.
 */
export interface GeneratedSecret {
  readonly generator: 'MpiSshKeys';
  /** The Secret without its content. */
  readonly secret: Secret;
}

/** What {@link constructJobObjects} returns. */
export interface JobObjects {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly generatedSecrets: readonly GeneratedSecret[];
  /** Objects that the scheduler of the job's gang requires before the pods, in the order of creation. */
  readonly gangObjects: readonly Manifest[];
  /** The job's network policies, if it has any. */
  readonly networkPolicies: readonly NetworkPolicy[];
}

/** Input of {@link constructJobObjects}. */
export interface JobObjectsOptions extends JobOwnership {
  readonly job: ResolvedTrainingJob;
  /** How replicas reach each other. @default - by the names of pods and services */
  readonly addresses?: AddressBook;
  /** Namespace of the operator to which replicas report their progress. @default - they do not report */
  readonly operatorNamespace?: string;
}

/** Constructs the objects that the pods of a job need. */
export function constructJobObjects({ job, addresses, operatorNamespace, ...ownership }: JobObjectsOptions): JobObjects {
  const mpi = needsMpiFiles(job);
  return {
    services: constructServices(job, ownership),
    networkPolicies: constructNetworkPolicies(job, ownership, operatorNamespace),
    configMaps: [
      ...(mpi ? [constructMpiConfigMap(job, ownership, addresses)] : []),
      ...(needsTools(job) ? [constructToolsConfigMap(job, ownership)] : []),
    ],
    generatedSecrets: mpi ? [{ generator: 'MpiSshKeys', secret: constructMpiSecret(job, ownership) }] : [],
    gangObjects: constructGangObjects(job, ownership, replicaPodSpecs(job, ownership.namespace)),
  };
}
