export * from './auth';
export * from './dashboard';
export * from './exposure';
export * from './history';
