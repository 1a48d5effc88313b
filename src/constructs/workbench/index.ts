export * from './notebook';
export * from './notebook-server';
export * from './pod-default';
export * from './tensor-board';
