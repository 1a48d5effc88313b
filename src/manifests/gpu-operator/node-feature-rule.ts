/** Node feature discovery's NodeFeatureRule. */
import type { FeatureComparison, FeatureRule, FeatureTerm } from '../../model/gpu-operator/node-feature-rule';
import { plainObject } from '../plain-object';

/** `apiVersion` of a NodeFeatureRule. */
export const NODE_FEATURE_RULE_VERSION = 'nfd.k8s-sigs.io/v1alpha1';

/** `spec` of the object. */
export function constructNodeFeatureRuleSpec(rules: readonly FeatureRule[]): { readonly [field: string]: unknown } {
  return plainObject({
    rules: rules.map(({ matchFeatures, matchAny, ...rule }) => ({
      ...rule,
      matchFeatures: matchFeatures?.map(constructTerm),
      matchAny: matchAny?.map((terms) => ({ matchFeatures: terms.map(constructTerm) })),
    })),
  });
}

function constructTerm({ feature, expressions, name }: FeatureTerm): object {
  return {
    feature,
    matchExpressions: expressions && Object.fromEntries(Object.entries(expressions).map(([element, comparison]) => (
      [element, constructComparison(comparison)]))),
    matchName: name && constructComparison(name),
  };
}

function constructComparison({ op, value }: FeatureComparison): object {
  return { op, value: value === undefined || value.length === 0 ? undefined : [...value] };
}
