export * from './grant';
export * from './workload-identity';
