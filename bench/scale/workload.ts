/** The jobs that are measured, and the objects that a client without an operator would create for them. */
import { constructJobObjects } from '../../src/manifests/job/job-objects';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../src/model/labels';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';

/** How many jobs of how many pods. */
export interface Size {
  readonly jobs: number;
  readonly pods: number;
}

/** A size as tables name it. */
export function sizeName({ jobs, pods }: Size): string {
  return `${jobs} x ${pods}`;
}

/** Reads a size of the command line: `500x4`. @throws Error when it is none */
export function sizeOf(text: string): Size {
  const [, jobs, pods] = /^(\d{1,6})x(\d{1,6})$/.exec(text) ?? [];
  if (jobs === undefined || Number(jobs) === 0 || Number(pods) === 0) {
    throw new Error(`${text}: a size is JOBSxPODS, such as 500x4.`);
  }
  return { jobs: Number(jobs), pods: Number(pods) };
}

/** Spec of every job: the blog's first example, as ../shared/bench and the peers' harness have it. */
export function jobSpec(pods: number): TrainingJobSpec {
  return {
    framework: 'pytorch',
    image: 'example/train:1',
    replicas: pods,
    resources: { gpu: 1, memory: '16Gi', cpu: '4' },
    hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
    checkpointPath: 's3://ml-checkpoints/p/',
  };
}

/** Name of the job with this number. */
export function jobName(index: number): string {
  return `pj-${String(index).padStart(5, '0')}`;
}

/** Name of the job that a pod of these measurements belongs to. */
export function jobOfPod(podName: string): string {
  return podName.slice(0, jobName(0).length);
}

/** An MLTrainingJob as JSON. */
export function jobJson(namespace: string, index: number, spec: TrainingJobSpec): string {
  return JSON.stringify({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: jobName(index), namespace }, spec });
}

/** Where the jobs of a namespace are. */
export function jobsPath(namespace: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${TRAINING_JOB_PLURAL}`;
}

/** Where the pods of a namespace are. */
export function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** Where the services of a namespace are. */
export function servicesPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/services`;
}

/** Everything that a job's operator creates, as JSON: services first, because pods look them up. Without an owner, as there is none. */
export function bareObjects(namespace: string, index: number, spec: TrainingJobSpec): { readonly services: string[]; readonly pods: string[] } {
  const job = resolveTrainingJob(jobName(index), spec);
  return {
    services: constructJobObjects({ job, namespace }).services.map((service) => JSON.stringify(service)),
    pods: job.replicas.map((replica) => JSON.stringify(constructReplicaPod({ job, replica, attempt: 0, namespace }))),
  };
}
