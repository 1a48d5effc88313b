export * from './log-level';
export * from './monitoring';
export * from './training-operator';
