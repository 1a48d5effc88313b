export * from './pipeline';
export * from './recurring-run';
