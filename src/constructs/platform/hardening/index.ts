export * from './security-check';
export * from './security-checks';
