export * from './constructs/training-job';
