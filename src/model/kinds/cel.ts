/**
 * Parts of CEL expressions that look at pods, for policies of all kinds. Everything is read as dynamic values, because fields that a definition keeps
 * without knowing them have no type.
 * @see https://kubernetes.io/docs/reference/using-api/cel/
 */
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../kueue-names';
import { POLICY_GPU } from '../policy/spec';

export interface CelVariable {
  readonly name: string;
  readonly expression: string;
}

/** A text or a list of texts as CEL writes them: JSON's form is one of them. */
export const celLiteral = (value: string | readonly string[]): string => JSON.stringify(value);

/** A number, or none if it is less: definitions of other systems accept negative numbers, which would make room for others in a sum. */
const notNegative = (number: string): string => `[${number}, 0].max()`;

/** GPUs of a map of amounts by the names of resources. */
export const gpusOfAmounts = (amounts: string): string => (
  `[${amounts}].map(m, m.filter(k, k.matches(${celLiteral(POLICY_GPU.source)})).map(k, ${notNegative('quantity(string(m[k])).asInteger()')}).sum()).sum()`);

/** GPUs of container `c`. */
const GPUS_OF_CONTAINER = gpusOfAmounts('c.?resources.?limits.orValue({})');

const STAYS = "c.?restartPolicy.orValue('') == 'Always'";
const INITS = 'p.?initContainers.orValue([])';

/** GPUs of pod `p`, as the scheduler counts: init containers run one by one before the others, but for those that stay next to them. */
const GPUS_OF_POD = `${INITS}.filter(c, ${STAYS}).map(c, ${GPUS_OF_CONTAINER}).sum() `
  + `+ ([p.?containers.orValue([]).map(c, ${GPUS_OF_CONTAINER}).sum()] + ${INITS}.filter(c, !(${STAYS})).map(c, ${GPUS_OF_CONTAINER})).max()`;

export const gpusOfPods = (pods: string): string => `${pods}.map(p, ${GPUS_OF_POD}).sum()`;

/** Whether pods ask for devices by claims. */
export const CLAIMS_OF_PODS: CelVariable = { name: 'claims', expression: 'variables.podSpecs.exists(p, size(p.?resourceClaims.orValue([])) > 0)' };

/** Images of pod `p`: of containers, and those that are mounted as volumes. */
export const IMAGES_OF_POD = [
  ...['containers', 'initContainers', 'ephemeralContainers'].map((field) => `p.?${field}.orValue([]).filter(c, has(c.image)).map(c, c.image)`),
  'p.?volumes.orValue([]).filter(v, has(v.image) && has(v.image.reference)).map(v, v.image.reference)',
].join(' + ');

/** Priority classes of `variables.podSpecs`. */
export const PRIORITIES_OF_PODS = 'variables.podSpecs.filter(p, has(p.priorityClassName)).map(p, p.priorityClassName)';

/** For {@link queueLabels}: what may serve, and is not a job, waits in a queue where it asks for devices. */
export const WITH_DEVICES = 'variables.gpus > 0 || variables.claims';

/**
 * Variables of kinds that Kueue takes by their labels.
 * @param mustQueue whether the object has to wait in a queue where a policy has some
 * @param metadata where the labels stand
 */
export function queueLabels(mustQueue: string, metadata = 'dyn(object.metadata)'): CelVariable[] {
  return [
    { name: 'queueLabels', expression: `${metadata}.?labels.orValue({})` },
    { name: 'queue', expression: `variables.queueLabels[?${celLiteral(QUEUE_NAME_LABEL)}]` },
    { name: 'queuePriority', expression: `variables.queueLabels[?${celLiteral(PRIORITY_CLASS_LABEL)}]` },
    { name: 'mustQueue', expression: mustQueue },
  ];
}

export const SPEC = 'dyn(object.spec)';

/** How a kind writes down its sets of pods. */
interface CelSets {
  readonly list: string;
  /** How many pods set `r` has. */
  readonly count: string;
  /** `spec` of the pods of set `r`. */
  readonly pod: string;
  readonly deadline?: string;
  /** Priority class for all pods. */
  readonly priority?: string;
  /** Whether the object has to wait in a queue of Kueue, where a policy has some. @default - Kueue does not take the kind */
  readonly mustQueue?: string;
  /** What is named more than once. */
  readonly before?: readonly CelVariable[];
}

export function variablesOfSets({ list, count, pod, deadline, priority, mustQueue, before = [] }: CelSets): CelVariable[] {
  return [
    ...before,
    { name: 'sets', expression: list },
    { name: 'podSpecs', expression: `variables.sets.map(r, ${pod})` },
    { name: 'images', expression: `variables.podSpecs.map(p, ${IMAGES_OF_POD})` },
    { name: 'priorities', expression: priority === undefined ? PRIORITIES_OF_PODS : `(${priority}.hasValue() ? [${priority}.value()] : []) + ${PRIORITIES_OF_PODS}` },
    { name: 'replicas', expression: `variables.sets.map(r, ${notNegative(count)}).sum()` },
    { name: 'gpus', expression: `variables.sets.map(r, ${notNegative(count)} * ${gpusOfPods(`[${pod}]`)}).sum()` },
    CLAIMS_OF_PODS,
    ...(mustQueue === undefined ? [] : queueLabels(mustQueue)),
    ...(deadline === undefined ? [] : [{ name: 'deadline', expression: deadline }]),
  ];
}

/** The pods of set `r` that has a template. */
export const TEMPLATE_OF_SET = 'r.?template.?spec.orValue({})';
