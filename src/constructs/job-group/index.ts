export * from './job-group';
