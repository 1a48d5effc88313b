export * from './hyperparameter-search';
export * from './katib-options';
export * from './search-engine';
