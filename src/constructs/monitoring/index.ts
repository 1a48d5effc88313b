export * from './log-collection';
export * from './monitoring';
export * from './monitoring-options';
