export * from './argo-cd';
export * from './environments';
