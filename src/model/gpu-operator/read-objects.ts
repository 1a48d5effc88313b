/**
 * NodeFeatureRules of node feature discovery and ClusterPolicies of the GPU operator as they are written in a manifest, in the model's terms, so that
 * the rules of the constructs hold for them. Templates and files in ConfigMaps are not read, and values of the wrong type are left to the check of
 * the structure.
 * @see https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/usage/customization-guide.html
 */
import { checkClusterPolicy, type NamedConfigs, type OperatorPart } from './cluster-policy';
import type { MigStrategyName } from './device-plugin';
import { FEATURE_OPERATORS, type FeatureComparison, type FeatureOperator, type FeatureRule, type FeatureTerm } from './node-feature-rule';
import { flagIn, isRecord, jsonText, record, records, textIn, textsIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { Violation } from '../violations';

/** Fields by which a rule has an effect in addition to those of the model. */
const FURTHER_EFFECTS: readonly string[] = ['labelsTemplate', 'vars', 'varsTemplate'];

const OWN_NAMESPACE = 'feature.node.kubernetes.io';

/** A label that any rule may give, for one whose labels only a template knows. */
const ANY_LABEL = `${OWN_NAMESPACE}/any`;

export function readFeatureRules({ spec }: ManifestObject): FeatureRule[] {
  return records(record(spec).rules).map((rule) => {
    const hasTemplate = FURTHER_EFFECTS.some((field) => rule[field] !== undefined);
    const readTerms = (terms: unknown) => records(terms).map((term) => readTerm(term, hasTemplate));
    return {
      name: textIn(rule.name) ?? '',
      labels: { ...prefixed(rule.labels), ...(hasTemplate && { [ANY_LABEL]: '' }) },
      annotations: prefixed(rule.annotations),
      taints: records(rule.taints).map(({ key, effect }) => ({ key: textIn(key) ?? '', effect: jsonText(effect) })),
      extendedResources: prefixed(rule.extendedResources),
      matchFeatures: readTerms(rule.matchFeatures),
      matchAny: records(rule.matchAny).map(({ matchFeatures }) => readTerms(matchFeatures)),
    };
  });
}

/** Names without a namespace get that of node feature discovery. */
function prefixed(named: unknown): { [name: string]: string } {
  return Object.fromEntries(Object.entries(textsIn(named)).map(([name, value]) => [name.includes('/') ? name : `${OWN_NAMESPACE}/${name}`, value]));
}

/** Templates look at all elements of a feature, for which it needs no condition. */
function readTerm({ feature, matchExpressions, matchName }: JsonRecord, hasTemplate: boolean): FeatureTerm {
  const expressions = Object.entries(record(matchExpressions)).map(([element, comparison]) => [element, readComparison(comparison)] as const);
  return {
    feature: textIn(feature) ?? '',
    expressions: Object.fromEntries(expressions),
    name: matchName === undefined && !(hasTemplate && expressions.length === 0) ? undefined : readComparison(matchName),
  };
}

function readComparison(comparison: unknown): FeatureComparison {
  const { op, value } = record(comparison);
  const isKnown = isRecord(comparison) && Object.hasOwn(FEATURE_OPERATORS, jsonText(op));
  return isKnown ? { op: op as FeatureOperator, value: Array.isArray(value) ? value.map(jsonText) : undefined } : { op: 'Exists' };
}

/** The ConfigMap that the operator brings itself, and that its chart names also where no GPU is divided. */
const OWN_MIG_CONFIG = 'default-mig-parted-config';

export function validateClusterPolicyObject({ spec: written }: ManifestObject): Violation[] {
  const spec = record(written);
  const migConfigs = readNamed(spec.migManager);
  return checkClusterPolicy({
    migStrategy: (textIn(record(spec.mig).strategy) ?? 'single') as MigStrategyName,
    migManager: readPart(spec.migManager),
    migConfigs: migConfigs?.name === OWN_MIG_CONFIG ? undefined : migConfigs,
    devicePlugin: readPart(spec.devicePlugin),
    pluginConfigs: readNamed(spec.devicePlugin),
  }).map((violation) => ({ ...violation, path: `spec.${violation.path === 'migStrategy' ? 'mig.strategy' : violation.path}` }));
}

function readPart(part: unknown): OperatorPart {
  return { enabled: flagIn(record(part).enabled) };
}

function readNamed(part: unknown): NamedConfigs<never> | undefined {
  const name = textIn(record(record(part).config).name);
  return name === undefined || name === '' ? undefined : { name };
}
