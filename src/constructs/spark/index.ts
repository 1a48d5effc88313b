export * from './application';
export * from './application-props';
export * from './connect';
export * from './history-server';
export * from './identity';
export * from './scheduled-application';
export * from './session-props';
export * from './spark-pods';
