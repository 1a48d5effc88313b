export * from './run-options';
export * from './tracker';
