/** The order in which the objects of a chart are applied, and options for some of them: fields of other owners, conditions to wait for. */
import { didYouMean, type Violation } from '../../model/violations';

/** A Kubernetes object, as a chart synthesizes it. */
export interface ChartObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: { readonly [name: string]: string };
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Selects objects of a chart. */
export interface ObjectSelector {
  readonly kind: string;
  /** @default - all objects of the kind */
  readonly name?: string;
}

/** Fields that other programs change, and that an update does not change back. */
export interface IgnoredFields extends ObjectSelector {
  /** Paths such as `spec.replicas`. */
  readonly fields: readonly string[];
}

/** A condition that an update waits for. */
export interface WaitCondition extends ObjectSelector {
  /**
   * A condition of the status, such as `Ready`; a path, such as `jsonpath={.status.phase}=Running`; or `none`, which also turns off the conditions
   * that Pulumi waits for by itself.
   */
  readonly condition: string;
}

/** The steps in which objects are applied: CRDs first, webhooks, which can reject objects, last. */
export const STEPS = ['definitions', 'namespaces', 'objects', 'admission'] as const;

export type Step = (typeof STEPS)[number];

const ADMISSION_KINDS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

export function stepOf({ kind }: ChartObject): Step {
  if (kind === 'CustomResourceDefinition') {
    return 'definitions';
  }
  return kind === 'Namespace' ? 'namespaces' : ADMISSION_KINDS.includes(kind) ? 'admission' : 'objects';
}

/** The name of an object in messages and in the program: `Deployment/ml/trainer`. */
export function objectId({ kind, metadata }: ChartObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
}

export function selects({ kind, name }: ObjectSelector, object: ChartObject): boolean {
  return object.kind === kind && (name === undefined || object.metadata.name === name);
}

/** Checks the objects of a chart, and that each selector selects an object. */
export function checkChartObjects(objects: readonly unknown[], selectors: { readonly [field: string]: readonly ObjectSelector[] }): Violation[] {
  const found: Violation[] = [];
  const valid = objects.filter((object, index): object is ChartObject => {
    const { apiVersion, kind, metadata } = (object ?? {}) as Partial<ChartObject>;
    const missing = apiVersion === undefined ? 'apiVersion' : kind === undefined ? 'kind' : metadata?.name === undefined ? 'metadata.name' : undefined;
    if (missing !== undefined) {
      found.push({ path: `objects[${index}].${missing}`, value: undefined, message: `is required: ${kind ?? 'an object'} cannot be applied without it.` });
    }
    return missing === undefined;
  });
  const ids = valid.map((object) => `${object.apiVersion} ${objectId(object)}`);
  for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index))) {
    found.push({ path: 'objects', value: id, message: 'is listed twice, and the second would overwrite the first. Rename one of them.' });
  }
  for (const [field, list] of Object.entries(selectors)) {
    list.forEach((selector, index) => {
      if (!valid.some((object) => selects(selector, object))) {
        const { kind, name } = selector;
        const names = valid.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
        const guess = names.length > 0 && name !== undefined ? didYouMean(name, names) || ` Use one of: ${names.join(', ')}.` : didYouMean(kind, valid.map((object) => object.kind));
        found.push({ path: `${field}[${index}]`, value: { kind, name }, message: `does not refer to an object of the chart.${guess}` });
      }
    });
  }
  return found;
}

/** The annotations that tell Pulumi what to wait for. @see https://www.pulumi.com/registry/packages/kubernetes/installation-configuration */
export function waitAnnotations(condition: string): { readonly [name: string]: string } {
  if (condition === 'none') {
    return { 'pulumi.com/skipAwait': 'true' };
  }
  return { 'pulumi.com/waitFor': condition.includes('=') ? condition : `condition=${condition}` };
}
