export * from './identity';
export * from './node-pools';
