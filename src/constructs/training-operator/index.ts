export * from './log-level';
export * from './training-operator';
