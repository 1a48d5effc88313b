export * from './notebook';
export * from './notebook-server';
export * from './pod-default';
export * from './tensor-board';
export * from './workspace';
export * from './workspace-server';
