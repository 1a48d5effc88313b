export * from './constructs/training-job';
export * from './constructs/training-operator';
