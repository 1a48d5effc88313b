/** Which kind can be suspended, resumed and tried again, and how. */
import type { ActionPart, KindActions } from './action';
import { retryAction } from './retry';
import { suspendActions, trainingJobSuspension } from './suspend';
import { luaScript } from '../../../programs/lua-script';

const has = (condition: string) => `is('${condition}', 'True')`;

function actionsOf(...parts: readonly ActionPart[]): KindActions {
  return { discovery: luaScript(...parts.map(({ offers }) => offers), 'return actions'), actions: parts.flatMap(({ actions }) => actions) };
}

/** MLTrainingJob. A retry does not begin suspended. */
export const TRAINING_JOB_ACTIONS = actionsOf(
  trainingJobSuspension(),
  retryAction({ failed: 'status.phase == \'Failed\'', without: [['suspend']] }),
);

/** TrainJob (Kubeflow Trainer v2). */
export const TRAIN_JOB_ACTIONS = actionsOf(
  suspendActions({ field: ['spec', 'suspend'], finished: `${has('Complete')} or ${has('Failed')}` }),
  retryAction({ failed: has('Failed'), without: [['suspend']] }),
);

/** JobSet. */
export const JOB_SET_ACTIONS = actionsOf(
  suspendActions({ field: ['spec', 'suspend'], finished: `status.terminalState ~= nil or ${has('Completed')} or ${has('Failed')}` }),
  retryAction({ failed: `status.terminalState == 'Failed' or ${has('Failed')}`, without: [['suspend']] }),
);

/** Jobs of training-operator v1, and MPIJob v2beta1. */
export const V1_JOB_ACTIONS = actionsOf(
  suspendActions({ field: ['spec', 'runPolicy', 'suspend'], finished: `${has('Succeeded')} or ${has('Failed')}` }),
  retryAction({ failed: has('Failed'), without: [['runPolicy', 'suspend']] }),
);

/** RayCluster: suspending it deletes its pods. */
export const RAY_CLUSTER_ACTIONS = actionsOf(suspendActions({ field: ['spec', 'suspend'] }));

/** RayJob: KubeRay refuses to suspend one that keeps its cluster, or runs on a cluster that is there; a new one has a new id. */
export const RAY_JOB_ACTIONS = actionsOf(
  suspendActions({
    field: ['spec', 'suspend'],
    finished: 'status.jobDeploymentStatus == \'Complete\' or status.jobDeploymentStatus == \'Failed\' or status.jobDeploymentStatus == \'ValidationFailed\'',
    impossible: 'field(obj, \'spec\', \'shutdownAfterJobFinishes\') ~= true or field(obj, \'spec\', \'clusterSelector\') ~= nil',
  }),
  retryAction({ failed: 'status.jobDeploymentStatus == \'Failed\'', without: [['suspend'], ['jobId']] }),
);

/** RayService. */
export const RAY_SERVICE_ACTIONS = actionsOf(suspendActions({ field: ['spec', 'suspend'] }));

/** RayCronJob: no new jobs are begun; Kueue has its jobs, and not itself. */
export const RAY_CRON_JOB_ACTIONS = actionsOf(suspendActions({ field: ['spec', 'suspend'], ofKueue: false }));

/** ClusterQueue and LocalQueue: `Hold` admits nothing more, and what runs goes on. */
export const QUEUE_ACTIONS = actionsOf(suspendActions({ field: ['spec', 'stopPolicy'], held: 'Hold', free: 'None', ofKueue: false }));

/** Workload: one that is not active gives its quota back. */
export const WORKLOAD_ACTIONS = actionsOf(suspendActions({ field: ['spec', 'active'], held: false, free: true, finished: has('Finished'), ofKueue: false }));

/** LLMInferenceService: KServe's annotation deletes what serves. */
export const LLM_INFERENCE_SERVICE_ACTIONS = actionsOf(suspendActions({
  field: ['metadata', 'annotations', 'serving.kserve.io/stop'], held: 'true', free: 'false', ofKueue: false,
}));
