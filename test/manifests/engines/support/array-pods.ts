/** What the pods of an array on a plain Job find, beside what the operator gives to the copies. */
import { containerEnvironment } from '../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../src/local/process/object-source';
import type { PodSpec } from '../../../../src/manifests/kubernetes';
import type { AddressBook } from '../../../../src/model/frameworks/address-book';
import { TRAINING_CONTAINER } from '../../../../src/model/names';
import { replicaEnvironment } from '../../../../src/model/training-job/environment/environment';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { environmentInside, type Variables } from '../indexed/support/container-view';

/** A copy meets nobody but itself, under the host name that the Job's controller gives to its pod. */
export function addressBookOf(jobName: string, index: number): AddressBook {
  return { host: () => `${jobName}-${index}.${jobName}`, port: (_replica, _name, standard) => standard };
}

/** @param copy spec of the copy with the index */
export async function variablesOf(
  spec: PodSpec, jobName: string, copy: TrainingJobSpec, index: number,
): Promise<{ readonly found: Variables; readonly expected: Variables }> {
  const job = resolveTrainingJob(jobName, copy);
  const pod = {
    apiVersion: 'v1' as const,
    kind: 'Pod' as const,
    metadata: {
      name: `${jobName}-${index}-x`,
      annotations: { 'batch.kubernetes.io/job-completion-index': String(index), 'batch.kubernetes.io/job-index-failure-count': '0' },
    },
    spec,
  };
  const training = spec.containers.find(({ name }) => name === TRAINING_CONTAINER)!;
  const alone = { ...training, env: replicaEnvironment({ job, replica: job.replicas[0], addresses: addressBookOf(jobName, index) }, 0) as [] };
  return {
    found: await environmentInside(pod, training),
    expected: Object.fromEntries(await containerEnvironment(pod, alone, new MemoryObjectSource())),
  };
}
