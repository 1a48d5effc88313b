export * from './log-level';
export * from './monitoring';
export * from './program-props';
export * from './training-operator';
