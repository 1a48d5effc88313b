export * from './constructs/accelerators';
export * from './constructs/code';
export * from './constructs/job-group';
export * from './constructs/serving';
export * from './constructs/training-job';
export * from './constructs/training-operator';
