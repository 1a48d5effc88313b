export * from './warnings';
