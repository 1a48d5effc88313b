/**
 * An InferenceGraph as its author describes it, and the rules on it: those of KServe's webhook, and what only shows when a request comes, such as a
 * node that leads back to itself.
 * @see https://kserve.github.io/website/docs/concepts/resources/inferencegraph
 */
import type { ScaleMetricSpec, ServingMode } from './spec';
import { DNS_LABEL_MAX_LENGTH, checkBaseName } from '../names';
import type { ResourcesSpec } from '../training-job/spec';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

/** How a node uses its steps. */
export type RouterType = 'Sequence' | 'Switch' | 'Ensemble' | 'Splitter';

/** Name of the node that requests come to. */
const ROOT_NODE = 'root';

/** One step of a node. Exactly one of the three targets. */
export interface GraphStep {
  readonly name?: string;
  readonly nodeName?: string;
  readonly serviceName?: string;
  readonly serviceUrl?: string;
  readonly weight?: number;
  readonly condition?: string;
  readonly data?: string;
  readonly dependency?: 'Soft' | 'Hard';
}

export interface GraphNode {
  readonly routerType: RouterType;
  readonly steps: readonly GraphStep[];
}

/** The graph with the pods that route. */
export interface InferenceGraphSpec {
  readonly mode: ServingMode;
  readonly nodes: { readonly [name: string]: GraphNode };
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metric?: ScaleMetricSpec;
  readonly timeoutSeconds?: number;
  readonly resources?: ResourcesSpec;
  readonly serviceAccountName?: string;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly { readonly [field: string]: unknown }[];
}

export function validateInferenceGraph(name: string, spec: InferenceGraphSpec): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'its Service has the same name', violations, { length: DNS_LABEL_MAX_LENGTH, because: 'DNS labels have fewer' });
  if (!Object.hasOwn(spec.nodes, ROOT_NODE)) {
    violations.add('spec.nodes', Object.keys(spec.nodes).join(', '), `must have a node '${ROOT_NODE}', which receives the requests.${didYouMean(ROOT_NODE, Object.keys(spec.nodes))}`);
  }
  for (const [nodeName, node] of Object.entries(spec.nodes)) {
    validateNode(node, `spec.nodes.${nodeName}`, spec.nodes, violations);
  }
  validateReachability(spec.nodes, violations);
  validateRouter(spec, violations);
  return violations.violations;
}

function validateNode({ routerType, steps }: GraphNode, path: string, nodes: InferenceGraphSpec['nodes'], violations: ViolationCollector): void {
  if (steps.length === 0) {
    violations.add(`${path}.steps`, undefined, 'a node without steps cannot answer requests. Add a step.');
  }
  const names = steps.map(({ name }) => name);
  steps.forEach((step, index) => {
    const place = `${path}.steps[${index}]`;
    validateTarget(step, place, nodes, violations);
    validateCondition(step, routerType, place, violations);
    if (step.name !== undefined && names.indexOf(step.name) < index) {
      violations.add(`${place}.name`, step.name, 'is the name of an earlier step of the node. Use unique names.');
    }
    if (routerType === 'Splitter' ? !isWeight(step.weight) : step.weight !== undefined) {
      violations.add(`${place}.weight`, step.weight, routerType === 'Splitter'
        ? 'a splitter needs a weight from 0 to 100 (a whole number) for each step.' : `is used only by splitters, and the node is of type ${routerType}. Remove it.`);
    }
    if (step.data !== undefined && step.data !== '$request' && step.data !== '$response') {
      violations.add(`${place}.data`, step.data, 'KServe passes on $request or $response. Use one of them.');
    } else if (step.data === '$response' && (routerType !== 'Sequence' || index === 0)) {
      violations.add(`${place}.data`, step.data, routerType === 'Sequence'
        ? 'the first step has no response before it. Leave data out.' : `a node of type ${routerType} has no response before its steps. Leave data out.`);
    }
    if (step.dependency !== undefined && routerType !== 'Sequence' && routerType !== 'Ensemble') {
      violations.add(`${place}.dependency`, step.dependency, `is used only in sequences and ensembles, and the node is of type ${routerType}. Remove it.`);
    }
  });
  if (routerType === 'Splitter' && steps.length > 0 && steps.every(({ weight }) => isWeight(weight))) {
    const sum = steps.reduce((total, { weight = 0 }) => total + weight, 0);
    if (sum !== 100) {
      violations.add(`${path}.steps`, steps.map(({ weight }) => weight).join(' + '), `weights of a splitter must add up to 100, but these add up to ${sum}. Change one of them.`);
    }
  }
}

function isWeight(weight: number | undefined): boolean {
  return Number.isInteger(weight) && weight! >= 0 && weight! <= 100;
}

function validateTarget(step: GraphStep, path: string, nodes: InferenceGraphSpec['nodes'], violations: ViolationCollector): void {
  const { nodeName, serviceName, serviceUrl } = step;
  const targets = [nodeName, serviceName, serviceUrl].filter((target) => target !== undefined);
  if (targets.length !== 1) {
    violations.add(path, targets.join(', '), 'needs exactly one of nodeName, serviceName and serviceUrl. Give one.');
  }
  if (nodeName !== undefined && !Object.hasOwn(nodes, nodeName)) {
    violations.add(`${path}.nodeName`, nodeName, `is not a node of the graph.${didYouMean(nodeName, Object.keys(nodes))} Add the node, or use an existing one.`);
  }
  violations.form(`${path}.serviceUrl`, serviceUrl, /^https?:\/\/[^/\s]+/, 'must be a URL that begins with http:// or https://.');
}

/** Conditions are looked up in the response (of a sequence) or the request (of a switch) with GJSON. */
function validateCondition({ condition }: GraphStep, routerType: RouterType, path: string, violations: ViolationCollector): void {
  if (condition === undefined) {
    if (routerType === 'Switch') {
      violations.add(`${path}.condition`, undefined, 'is required in a switch: a GJSON path that the request has, such as [@this].#(class=="dog").');
    }
    return;
  }
  if (routerType === 'Ensemble' || routerType === 'Splitter') {
    violations.add(`${path}.condition`, condition, `is used only in sequences and switches, and the node is of type ${routerType}. Remove it.`);
    return;
  }
  const problem = problemOfCondition(condition);
  if (problem !== undefined) {
    violations.add(`${path}.condition`, condition, `${problem} GJSON matches nothing with it. Write a path such as [@this].#(predictions.0=="dog").`);
  }
}

/** What is wrong with a GJSON path, as far as brackets and quotes show. */
function problemOfCondition(condition: string): string | undefined {
  if (condition.trim() === '') {
    return 'is empty.';
  }
  const closing: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}' };
  const open: string[] = [];
  let quoted = false;
  for (let i = 0; i < condition.length; i++) {
    const character = condition[i];
    if (character === '\\') {
      i++;
    } else if (character === '"') {
      quoted = !quoted;
    } else if (!quoted && character in closing) {
      open.push(closing[character]);
    } else if (!quoted && Object.values(closing).includes(character) && open.pop() !== character) {
      return `closes '${character}' where nothing is open.`;
    }
  }
  return quoted ? 'opens a quote that is not closed.' : open.length > 0 ? `does not close with '${open[open.length - 1]}'.` : undefined;
}

/** Requests start at the root: what leads in a circle never ends, and what is not led to is never asked. */
function validateReachability(nodes: InferenceGraphSpec['nodes'], violations: ViolationCollector): void {
  const reached = new Set<string>();
  const circles = new Set<string>();
  const follow = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      const circle = [...way.slice(way.indexOf(name)), name];
      const key = [...new Set(circle)].sort().join(' ');
      if (!circles.has(key)) {
        circles.add(key);
        violations.add(`spec.nodes.${name}`, circle.join(' -> '), 'leads back to itself, so a request would loop forever. Remove one of the steps.');
      }
      return;
    }
    if (!Object.hasOwn(nodes, name) || reached.has(name)) {
      return;
    }
    // Left out of `reached` until all ways from it are known, so that a circle is seen from within.
    nodes[name].steps.forEach(({ nodeName }) => nodeName !== undefined && follow(nodeName, [...way, name]));
    reached.add(name);
  };
  follow(ROOT_NODE, []);
  for (const name of Object.keys(nodes)) {
    if (Object.hasOwn(nodes, ROOT_NODE) && !reached.has(name)) {
      violations.add(`spec.nodes.${name}`, name, `no step leads here from '${ROOT_NODE}'. Remove the node, or add a step that leads to it.`);
    }
  }
}

function validateRouter({ mode, minReplicas, maxReplicas, metric, timeoutSeconds }: InferenceGraphSpec, violations: ViolationCollector): void {
  violations.whole('spec.minReplicas', minReplicas, 0);
  if (minReplicas === 0 && mode === 'Standard') {
    violations.add('spec.minReplicas', 0, 'a HorizontalPodAutoscaler keeps one pod. Use Knative mode.');
  }
  if (maxReplicas !== undefined && (minReplicas ?? 1) > maxReplicas) {
    violations.add('spec.minReplicas', minReplicas, `is more than maxReplicas (${maxReplicas}). Raise one or lower the other.`);
  }
  const byRequests = metric?.kind === 'concurrency' || metric?.kind === 'rps';
  if (metric !== undefined && byRequests !== (mode === 'Knative')) {
    violations.add('spec.scaleMetric', metric.kind, mode === 'Knative'
      ? 'Knative scales the router by concurrency or requests a second. Use one of them.' : 'a router in Standard mode scales by cpu or memory. Use one of them, or Knative mode.');
  }
  violations.whole('spec.scaleTarget', metric?.target, 1);
  violations.seconds('spec.timeout', timeoutSeconds, 1);
}
