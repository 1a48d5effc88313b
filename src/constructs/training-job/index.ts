export * from './checkpoint';
export * from './engine';
export * from './framework';
export * from './resources';
export * from './role';
export * from './run-policy';
export * from './scheduling';
export * from './training-job';
