export * from './workspace';
export * from './workspace-server';
