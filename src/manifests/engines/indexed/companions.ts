/** Further objects of a job on an engine: network policies, files of MPI and of the tools, and the group of a gang. */
import { plainPodSpec, type EnginePods } from './engine-pods';
import { constructGangObjects } from '../../gang';
import type { Manifest } from '../../kubernetes';
import { constructMpiConfigMap, needsMpiFiles } from '../../job/mpi-files';
import { constructNetworkPolicies } from '../../job/network-policy';
import { constructToolsConfigMap, needsTools } from '../../tools/tools-config-map';
import { JOB_LABEL, MANAGED_BY_ENGINES, MANAGED_BY_LABEL, OPERATOR_NAME } from '../../../model/labels';
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../../../model/kueue-names';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { EngineJob } from '../engine';
import type { ObjectOwnership } from '../../job/job-metadata';

/** Owner of a job's objects. */
export function engineOwnership({ namespace, labels }: EngineJob): ObjectOwnership {
  return { namespace, labels, managedBy: MANAGED_BY_ENGINES };
}

/** Labels of the job's own object. */
export function jobLabels(name: string): { readonly [name: string]: string } {
  return { [JOB_LABEL]: name, [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES };
}

/** Labels with which Kueue queues a job of a kind that it supports. It then suspends and resumes the job itself. */
export function queueLabels({ spec: { scheduling } }: EngineJob): { readonly [name: string]: string } {
  const { queueName, queuePriorityClassName } = scheduling ?? {};
  return {
    ...(queueName !== undefined && { [QUEUE_NAME_LABEL]: queueName }),
    ...(queuePriorityClassName !== undefined && { [PRIORITY_CLASS_LABEL]: queuePriorityClassName }),
  };
}

/** `suspend` and `managedBy` of such a kind. Kueue sets `suspend` of a queued job, and Trainyard's operator manages none of these jobs. */
export function controlFields({ scheduling, suspend, managedBy }: TrainingJobSpec): { readonly suspend?: boolean; readonly managedBy?: string } {
  return {
    suspend: scheduling?.queueName === undefined ? suspend : undefined,
    managedBy: managedBy === OPERATOR_NAME ? undefined : managedBy,
  };
}

/** The objects, in the order of creation. */
export function constructCompanions(pods: EnginePods): Manifest[] {
  const { job, ownership, addresses, createsPodGroup = true } = pods;
  return [
    ...constructNetworkPolicies(job, ownership),
    ...(needsMpiFiles(job) ? [constructMpiConfigMap(job, ownership, addresses)] : []),
    ...(needsTools(job) ? [constructToolsConfigMap(job, ownership)] : []),
    ...(createsPodGroup ? constructGangObjects(job, ownership, (replica) => plainPodSpec(pods, replica)) : []),
  ];
}
