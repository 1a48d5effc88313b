export * from './hyperparameter-search';
export * from './hyperparameter-search-props';
export * from './katib-algorithm';
export * from './katib-metrics';
export * from './katib-options';
export * from './search-engine';
