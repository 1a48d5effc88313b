export * from './device-plugin-config';
export * from './feature-match';
export * from './gpu-operator-policy';
export * from './mig-parted-config';
export * from './node-feature-rule';
