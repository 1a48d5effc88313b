/** Everything that a job owns beside its pods, as one list for whoever creates it: the operator, the local runner, and tests. */
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
 * A Secret whose content is random. It is made once, by whoever creates it: `generator` says what is missing (`MpiSshKeys`: see
 * `withMpiSshKeys`), and a Secret of that name that exists is right as it is.
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
  /** What the scheduler of the job's gang wants to see before the pods; in the order of creation. */
  readonly gangObjects: readonly Manifest[];
  /** The firewall around the job, if it has one. */
  readonly networkPolicies: readonly NetworkPolicy[];
}

/** What {@link constructJobObjects} needs to know. */
export interface JobObjectsOptions extends JobOwnership {
  readonly job: ResolvedTrainingJob;
  /** How replicas reach each other. @default - by the names of pods and services */
  readonly addresses?: AddressBook;
  /** Namespace of the operator that replicas report their progress to. @default - they report to none */
  readonly operatorNamespace?: string;
}

/** Constructs what the pods of a job need: services before all, files where the framework has some. */
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
