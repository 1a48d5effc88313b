export * from './cron-training';
export * from './event-driven-training';
export * from './event-source';
export * from './launcher-options';
