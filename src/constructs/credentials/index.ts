export * from './credential-use';
export * from './credentials';
export * from './external-secret';
export * from './secret-provider-class';
