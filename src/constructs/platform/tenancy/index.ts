export * from './team';
export * from './team-props';
