export * from './environment';
export * from './environment-props';
export * from './environments';
