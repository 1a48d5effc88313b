export * from './code-bundle';
