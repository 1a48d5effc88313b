export * from './security-checks';
