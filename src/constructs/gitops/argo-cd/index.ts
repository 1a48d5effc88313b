export * from './argo-cd-customizations';
export * from './argo-cd-jobs';
export * from './argo-cd-sync';
