/**
 * Rules of node feature discovery: labels, annotations, taints and extended resources that nodes get by what is found on them.
 * @see https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/usage/customization-guide.html
 */
import { GPU_OPERATOR_RULES as RULES } from './rules';
import { FindingCollector, type Finding } from '../findings';
import { isLabelKey, isLabelValue } from '../names';
import { isQuantity } from '../quantities';
import { didYouMean } from '../violations';
import { problemOfGoExpression } from '../text/expressions';

/** Operators, with how many values each of them compares with: least and most. */
export const FEATURE_OPERATORS = {
  In: [1, Infinity], NotIn: [1, Infinity], InRegexp: [1, Infinity], Exists: [0, 0], DoesNotExist: [0, 0],
  Gt: [1, 1], Ge: [1, 1], Lt: [1, 1], Le: [1, 1], GtLt: [2, 2], GeLe: [2, 2], IsTrue: [0, 0], IsFalse: [0, 0],
} as const satisfies { readonly [operator: string]: readonly [number, number] };

/** One of {@link FEATURE_OPERATORS}. */
export type FeatureOperator = keyof typeof FEATURE_OPERATORS;

const NUMERIC: readonly FeatureOperator[] = ['Gt', 'Ge', 'Lt', 'Le', 'GtLt', 'GeLe'];

/** Features that node feature discovery finds. */
const FEATURES = [
  'cpu.cpuid', 'cpu.cstate', 'cpu.coprocessor', 'cpu.hardware_multithreading', 'cpu.model', 'cpu.pstate', 'cpu.rdt', 'cpu.security', 'cpu.sgx', 'cpu.sst', 'cpu.topology',
  'kernel.config', 'kernel.enabledmodule', 'kernel.loadedmodule', 'kernel.selinux', 'kernel.version', 'local.feature', 'local.label',
  'memory.hugepages', 'memory.numa', 'memory.nv', 'memory.swap', 'network.device', 'network.virtual', 'pci.device', 'storage.block',
  'system.dmiid', 'system.name', 'system.osrelease', 'usb.device', 'rule.matched',
] as const;

export interface FeatureComparison {
  readonly op: FeatureOperator;
  readonly value?: readonly string[];
}

export interface FeatureTerm {
  readonly feature: string;
  /** Comparisons of its elements, by their names. */
  readonly expressions?: { readonly [element: string]: FeatureComparison };
  /** Comparison of the names themselves. */
  readonly name?: FeatureComparison;
}

export interface FeatureTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface FeatureRule {
  readonly name: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
  readonly taints?: readonly FeatureTaint[];
  readonly extendedResources?: { readonly [resource: string]: string };
  readonly matchFeatures?: readonly FeatureTerm[];
  readonly matchAny?: readonly (readonly FeatureTerm[])[];
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Domain of Kubernetes in which rules may write, and one for labels only. */
const FEATURE_DOMAIN = 'feature.node.kubernetes.io';
const LABEL_DOMAINS = [FEATURE_DOMAIN, 'profile.node.kubernetes.io'];

/** Longest value of an annotation, in bytes. */
const MAX_ANNOTATION = 1024;

export function checkFeatureRules(rules: readonly FeatureRule[], path = 'rules'): Finding[] {
  const findings = new FindingCollector();
  if (rules.length === 0) {
    findings.error(RULES.featureOutput, path, rules, 'are empty. Add a rule.');
  }
  rules.forEach((rule, index) => {
    const where = `${path}[${index}]`;
    const { name, labels = {}, annotations = {}, taints = [], extendedResources = {} } = rule;
    if (name === '' || rules.findIndex((other) => other.name === name) < index) {
      findings.error(RULES.featureName, `${where}.name`, name, name === '' ? 'is required.' : 'is also the name of another rule. Rename one of the two.');
    }
    if ([labels, annotations, extendedResources].every((given) => Object.keys(given).length === 0) && taints.length === 0) {
      findings.error(RULES.featureOutput, where, name, 'has no effect. Add labels, annotations, taints or extended resources.');
    }
    checkLabels(labels, `${where}.labels`, findings);
    for (const [annotation, value] of Object.entries(annotations)) {
      checkKey(annotation, `${where}.annotations`, 'annotation', findings);
      if (Buffer.byteLength(value) > MAX_ANNOTATION) {
        findings.error(RULES.featureLabel, `${where}.annotations`, annotation, `has ${Buffer.byteLength(value)} bytes, and node feature discovery writes ${MAX_ANNOTATION} at most. Shorten the value.`);
      }
    }
    checkResources(extendedResources, where, findings);
    checkTaints(taints, where, findings);
    (rule.matchFeatures ?? []).forEach((term, place) => checkTerm(term, `${where}.matchFeatures[${place}]`, findings));
    (rule.matchAny ?? []).forEach((terms, place) => {
      if (terms.length === 0) {
        findings.error(RULES.featureOutput, `${where}.matchAny[${place}]`, terms, 'is empty, and would match every node. Name features.');
      }
      terms.forEach((term, inner) => checkTerm(term, `${where}.matchAny[${place}].matchFeatures[${inner}]`, findings));
    });
  });
  return findings.findings;
}

function checkKey(key: string, path: string, what: string, findings: FindingCollector): void {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : undefined;
  if (domain === undefined) {
    findings.error(RULES.featureLabel, path, key, `has no namespace. Write feature.node.kubernetes.io/${key}, or your own domain.`);
  } else if (!isLabelKey(key)) {
    findings.error(RULES.featureLabel, path, key, 'is not a valid key. Use DOMAIN/NAME with letters, digits, dashes, underscores and dots.');
  } else if (!isOpen(domain, what === 'label' ? LABEL_DOMAINS : [FEATURE_DOMAIN])) {
    findings.error(RULES.featureLabel, path, key, `belongs to Kubernetes' own domain, where node feature discovery writes no ${what}. Use feature.node.kubernetes.io, or your own domain.`);
  }
}

function checkLabels(labels: { readonly [label: string]: string }, path: string, findings: FindingCollector): void {
  for (const [label, value] of Object.entries(labels)) {
    checkKey(label, path, 'label', findings);
    if (!(value.startsWith('@') ? DYNAMIC.test(value) : isLabelValue(value))) {
      findings.error(RULES.featureLabel, path, value, 'is not a valid label value: 63 letters, digits, dashes, underscores and dots at most, or the value of a feature such as "@kernel.version.major".');
    }
  }
}

/** The value of a feature: `@DOMAIN.FEATURE.ELEMENT`. */
const DYNAMIC = /^@[a-z]+\.[a-z_]+\.\S+$/;

function isOpen(domain: string, allowed: readonly string[]): boolean {
  const isKubernetes = domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io');
  return !isKubernetes || allowed.some((open) => domain === open || domain.endsWith(`.${open}`));
}

function checkResources(resources: { readonly [resource: string]: string }, where: string, findings: FindingCollector): void {
  for (const [resource, amount] of Object.entries(resources)) {
    checkKey(resource, `${where}.extendedResources`, 'extended resource', findings);
    if (!isQuantity(amount) && !DYNAMIC.test(amount)) {
      findings.error(RULES.featureResource, `${where}.extendedResources['${resource}']`, amount, 'must be a quantity such as "4", or the value of a feature such as "@memory.numa.node_count".');
    }
  }
}

function checkTaints(taints: readonly FeatureTaint[], where: string, findings: FindingCollector): void {
  taints.forEach(({ key, effect }, index) => {
    const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
    if (key === '') {
      findings.error(RULES.featureTaint, `${where}.taints[${index}].key`, key, 'is required.');
    } else if (domain === '') {
      findings.error(RULES.featureTaint, `${where}.taints[${index}].key`, key, `has no namespace, and node feature discovery ignores such a taint. Write feature.node.kubernetes.io/${key}, or your own domain.`);
    } else if (!isOpen(domain, [FEATURE_DOMAIN])) {
      findings.error(RULES.featureTaint, `${where}.taints[${index}].key`, key, 'belongs to Kubernetes\' own domain. Use feature.node.kubernetes.io, or your own domain.');
    }
    if (!EFFECTS.includes(effect)) {
      findings.error(RULES.featureTaint, `${where}.taints[${index}].effect`, effect, `must be one of ${EFFECTS.join(', ')}.${didYouMean(effect, EFFECTS)}`);
    }
  });
}

function checkTerm({ feature, expressions = {}, name }: FeatureTerm, path: string, findings: FindingCollector): void {
  const guess = (FEATURES as readonly string[]).includes(feature) ? '' : didYouMean(feature, FEATURES);
  if (!/^[a-z]+\.[a-z_]+$/.test(feature)) {
    findings.error(RULES.featureKnown, `${path}.feature`, feature, `must be DOMAIN.FEATURE, such as pci.device.${guess}`);
  } else if (guess !== '') {
    findings.error(RULES.featureKnown, `${path}.feature`, feature, `is not a feature of node feature discovery.${guess}`);
  }
  if (Object.keys(expressions).length === 0 && name === undefined) {
    findings.error(RULES.featureValues, path, feature, 'has no conditions, and matches every node. Name its elements.');
  }
  Object.entries(expressions).forEach(([element, comparison]) => checkComparison(comparison, `${path}.matchExpressions.${element}`, findings));
  if (name !== undefined) {
    checkComparison(name, `${path}.matchName`, findings);
  }
}

function checkComparison({ op, value = [] }: FeatureComparison, path: string, findings: FindingCollector): void {
  const [least, most] = FEATURE_OPERATORS[op];
  if (value.length < least || value.length > most) {
    const wanted = most === Infinity ? 'at least one value' : most === 0 ? 'no value' : `${most === 1 ? 'one value' : 'two values'}`;
    findings.error(RULES.featureValues, path, value, `has ${value.length} ${value.length === 1 ? 'value' : 'values'}, and ${op} compares with ${wanted}.`);
    return;
  }
  if (NUMERIC.includes(op)) {
    const wrong = value.find((each) => !/^-?\d+$/.test(each));
    if (wrong !== undefined) {
      findings.error(RULES.featureValues, path, wrong, `must be a whole number: ${op} compares numbers.`);
    } else if (value.length === 2 && Number(value[0]) >= Number(value[1])) {
      findings.error(RULES.featureValues, path, value, 'is an empty range. Write the smaller number first.');
    }
  }
  if (op === 'InRegexp') {
    value.filter((each) => problemOfGoExpression(each) !== undefined).forEach((each) => findings.error(RULES.featureValues, path, each, 'is not a regular expression.'));
  }
}
