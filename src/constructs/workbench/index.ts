export * from './notebook';
export * from './pod-default';
export * from './tensor-board';
export * from './workspace';
export * from './workspace-server';
