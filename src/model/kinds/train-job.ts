/** Kubeflow Trainer's jobs, and the runtimes that they run on. @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/apis/trainer/v1alpha1 */
import { SPEC, gpusOfAmounts, queueLabels } from './cel';
import { JOB } from './job';
import { JOB_SET, standingOfJobs } from './job-set';
import { numberOf, orNull } from './pod-sets';
import { identityOf, type WorkloadKind } from './workload-kind';
import { numberIn, record } from '../json-parts';
import { programText } from '../../programs/program-text';

const TRAINER = { group: 'trainer.kubeflow.org', versions: ['v1alpha1'], hasEndingPods: true } as const;
const NO_JOB = 'describes no job by itself, and no TrainJob of the input refers to it. Add the TrainJob to the same input.';

/** It has no time to live: its runtime's goes to the JobSet below it. */
export const TRAIN_JOB: WorkloadKind = {
  ...TRAINER, kind: 'TrainJob', plural: 'trainjobs',
  isJob: true, suspend: ['spec', 'suspend'], controller: 'trainer.kubeflow.org/trainjob-controller',
  podLabels: ['jobset.sigs.k8s.io/jobset-name'], between: [identityOf(JOB_SET), identityOf(JOB)],
  isQueued: true, fillsPods: true, cost: 'TrainJob', migrated: 'TrainJob',
  roleLabel: 'jobset.sigs.k8s.io/replicatedjob-name', indexLabel: 'batch.kubernetes.io/job-completion-index',
  standing: (object) => standingOfJobs(object, record(object.status).jobsStatus),
  scales: ({ trainer }) => [{ field: ['trainer', 'numNodes'], replicas: numberIn(record(trainer).numNodes) }],
  pods: ({ trainer, activeDeadlineSeconds }) => {
    const { numNodes, image, resourcesPerNode } = record(trainer);
    const pod = { containers: [{ image, resources: resourcesPerNode }] };
    return { sets: [{ name: 'node', count: numberOf(numNodes, 1), pod }], deadlineSeconds: orNull(activeDeadlineSeconds), queued: 'Always' };
  },
  policy: {
    target: 'trainjobs',
    cel: [
      { name: 'trainer', expression: `${SPEC}.?trainer.orValue({})` },
      { name: 'images', expression: '[has(variables.trainer.image) ? [variables.trainer.image] : []]' },
      { name: 'replicas', expression: 'int(variables.trainer.?numNodes.orValue(1))' },
      { name: 'gpus', expression: `variables.replicas * ${gpusOfAmounts('variables.trainer.?resourcesPerNode.?limits.orValue({})')}` },
      ...queueLabels('true'),
      { name: 'deadline', expression: `${SPEC}.?activeDeadlineSeconds` },
    ],
  },
  argoCd: {
    health: programText('argo-cd/health/train-job.lua'),
    finished: "is('Complete', 'True') or is('Failed', 'True')",
    failed: "is('Failed', 'True')",
    // Kueue adds what an admission asks for, and Trainer's webhook the time of each entry.
    written: ['.spec.runtimePatches[]? | select(.manager == "kueue.x-k8s.io/manager")', '.spec.runtimePatches[]?.time'],
  },
};

const RUNTIME = { ...TRAINER, isTemplate: true, fillsPods: true, notMigrated: NO_JOB } as const;

export const TRAINING_RUNTIME: WorkloadKind = { ...RUNTIME, kind: 'TrainingRuntime', plural: 'trainingruntimes' };

export const CLUSTER_TRAINING_RUNTIME: WorkloadKind = { ...RUNTIME, kind: 'ClusterTrainingRuntime', plural: 'clustertrainingruntimes', isNamespaced: false };
