/** Kubeflow Trainer's jobs, and the runtimes that they run on. @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/apis/trainer/v1alpha1 */
import { SPEC, gpusOfAmounts, queueLabels } from './cel';
import { numberOf, orNull } from './pod-sets';
import type { WorkloadKind } from './workload-kind';
import { record } from '../json-parts';

const TRAINER = { group: 'trainer.kubeflow.org', versions: ['v1alpha1'], hasEndingPods: true } as const;
const NO_JOB = 'describes no job by itself, and no TrainJob of the input refers to it. Add the TrainJob to the same input.';

/** It has no time to live: its runtime's goes to the JobSet below it. */
export const TRAIN_JOB: WorkloadKind = {
  ...TRAINER, kind: 'TrainJob', plural: 'trainjobs',
  isJob: true, suspend: ['spec', 'suspend'], controller: 'trainer.kubeflow.org/trainjob-controller',
  podLabels: ['jobset.sigs.k8s.io/jobset-name'],
  policy: {
    target: 'trainjobs',
    pods: ({ trainer, activeDeadlineSeconds }) => {
      const { numNodes, image, resourcesPerNode } = record(trainer);
      const pod = { containers: [{ image, resources: resourcesPerNode }] };
      return { sets: [{ count: numberOf(numNodes, 1), pod }], deadlineSeconds: orNull(activeDeadlineSeconds), queued: 'Always' };
    },
    cel: [
      { name: 'trainer', expression: `${SPEC}.?trainer.orValue({})` },
      { name: 'images', expression: '[has(variables.trainer.image) ? [variables.trainer.image] : []]' },
      { name: 'replicas', expression: 'int(variables.trainer.?numNodes.orValue(1))' },
      { name: 'gpus', expression: `variables.replicas * ${gpusOfAmounts('variables.trainer.?resourcesPerNode.?limits.orValue({})')}` },
      ...queueLabels('true'),
      { name: 'deadline', expression: `${SPEC}.?activeDeadlineSeconds` },
    ],
  },
};

export const TRAINING_RUNTIME: WorkloadKind = { ...TRAINER, kind: 'TrainingRuntime', plural: 'trainingruntimes', notMigrated: NO_JOB };

export const CLUSTER_TRAINING_RUNTIME: WorkloadKind = {
  ...TRAINER, kind: 'ClusterTrainingRuntime', plural: 'clustertrainingruntimes', isNamespaced: false, notMigrated: NO_JOB,
};
