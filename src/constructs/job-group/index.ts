export * from './job-group';
export * from './job-group-props';
