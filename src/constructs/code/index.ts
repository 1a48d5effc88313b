export * from './code-bundle';
export * from './code-options';
