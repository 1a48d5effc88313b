/**
 * The core: jobs, the operator, accelerators, checkpoints, code, credentials and policies. Each family is a submodule of its own, for TypeScript
 * `trainyard/FOLDER`, for Python `trainyard.NAME`. package.json's exports and everything else that lists them reads this file.
 */
export * from './constructs/accelerators';
export * from './constructs/checks';
export * from './constructs/code';
export * from './constructs/credentials';
export * from './constructs/job-group';
export * from './constructs/policy';
export * from './constructs/runs';
export * from './constructs/storage';
export * from './constructs/training-job';
export * from './constructs/training-operator';

export * as dashboard from './constructs/dashboard';
export * as events from './constructs/events';
export * as gitops from './constructs/gitops';
export * as gke from './constructs/gke';
export * as gpuOperator from './constructs/gpu-operator';
export * as monitoring from './constructs/monitoring';
export * as notifications from './constructs/notifications';
export * as pipelines from './constructs/pipelines';
export * as platform from './constructs/platform';
export * as queues from './constructs/queues';
export * as ray from './constructs/ray';
export * as serving from './constructs/serving';
export * as spark from './constructs/spark';
export * as tuning from './constructs/tuning';
export * as workbench from './constructs/workbench';
