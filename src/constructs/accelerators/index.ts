export * from './accelerator';
export * from './accelerator-request';
export * from './gpu-sharing';
export * from './mig-size';
export * from './mig-strategy';
