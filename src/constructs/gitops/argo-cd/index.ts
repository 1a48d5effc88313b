export * from './argo-cd-customization';
export * from './argo-cd-customizations';
export * from './argo-cd-jobs';
export * from './argo-cd-kind';
export * from './argo-cd-sync';
