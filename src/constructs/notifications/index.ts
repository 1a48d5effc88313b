export * from './notification-rule';
export * from './notifier';
export * from './receiver';
