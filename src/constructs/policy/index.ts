export * from './job-policy';
export * from './job-policy-props';
