export * from './accelerator';
export * from './accelerator-request';
export * from './gpu-sharing';
