export * from './bucket-options';
export * from './google-options';
export * from './other-options';
export * from './rwx-backend';
export * from './rwx-checkpoint-store';
export * from './store-props';
