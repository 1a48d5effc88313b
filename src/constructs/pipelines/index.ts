export * from './pipeline';
export * from './pipeline-file';
export * from './pipeline-version';
export * from './recurring-run';
