export * from './accelerator';
export * from './gpu-sharing';
