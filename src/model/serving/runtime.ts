/**
 * Serving runtimes and storage containers as their author describes them, and the rules on them: those of KServe's webhook, and what only shows when
 * a model is served, such as a misspelt placeholder.
 * @see https://kserve.github.io/website/docs/concepts/resources/servingruntime
 */
import type { Fields, ServingWorkerSpec } from './spec';
import { KNOWN_GPU_RESOURCES } from './validation-component';
import { isSubdomain } from '../names';
import type { PodSettings } from '../pod-settings';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';
import { ViolationCollector, didYouMean, type Violation } from '../violations';
import { problemOfGoExpression } from '../text/expressions';

export interface RuntimeFormatSpec {
  readonly name: string;
  readonly version?: string;
  readonly autoSelect?: boolean;
  readonly priority?: number;
}

export interface ServingRuntimeSpec
  extends Omit<PodSettings, 'image' | 'envFrom' | 'serviceAccountName' | 'priorityClassName' | 'schedulerName' | 'podSpec'> {
  readonly formats: readonly RuntimeFormatSpec[];
  readonly protocols: readonly string[];
  readonly image: string;
  readonly port?: number;
  readonly probes?: { readonly liveness?: Fields; readonly readiness?: Fields; readonly startup?: Fields };
  readonly disabled?: boolean;
  readonly worker?: ServingWorkerSpec;
}

/** What KServe fills into commands, arguments and variables of a runtime. */
const PLACEHOLDERS: readonly string[] = ['.Name', '.Namespace', '.Labels', '.Annotations'];

/** Variables that KServe sets from the worker. */
const WORKER_VARIABLES: readonly string[] = ['PIPELINE_PARALLEL_SIZE', 'TENSOR_PARALLEL_SIZE'];

export function validateServingRuntime(name: string, spec: ServingRuntimeSpec): Violation[] {
  const violations = new ViolationCollector();
  if (!isSubdomain(name)) {
    violations.add('metadata.name', name, 'must be lower-case letters, digits, \'-\' and \'.\', starting and ending with a letter or digit.');
  }
  validateFormats(spec.formats, violations);
  if (spec.protocols.length === 0) {
    violations.add('spec.protocolVersions', undefined, 'is required: KServe also chooses runtimes by protocol. List those that the server supports.');
  }
  validatePlaceholders(spec, violations);
  validateWorker(spec, violations);
  return violations.violations;
}

function validateFormats(formats: readonly RuntimeFormatSpec[], violations: ViolationCollector): void {
  if (formats.length === 0) {
    violations.add('spec.supportedModelFormats', undefined, 'a runtime without formats serves no model. Add one.');
  }
  const key = ({ name, version }: RuntimeFormatSpec) => `${name.toLowerCase()} ${version ?? ''}`;
  formats.forEach((format, index) => {
    const path = `spec.supportedModelFormats[${index}]`;
    const earlier = formats.slice(0, index);
    if (earlier.some((other) => key(other) === key(format))) {
      violations.add(path, key(format).trim(), 'is already in the list. Remove one of the two.');
    }
    const { priority } = format;
    violations.whole(`${path}.priority`, priority, 1);
    if (priority !== undefined && !format.autoSelect) {
      violations.add(`${path}.priority`, priority, 'ranks runtimes for automatic selection, and this one is never selected automatically. Set autoSelect, or remove it.');
    }
    const other = earlier.find(({ name, autoSelect, priority: ofOther }) => (
      name === format.name && autoSelect && format.autoSelect && ofOther !== undefined && priority !== undefined && ofOther !== priority));
    if (other !== undefined) {
      violations.add(`${path}.priority`, priority, `another version of '${format.name}' has the priority ${other.priority}, and KServe requires the same for all versions. Use the same.`);
    }
  });
}

/**
 * Two runtimes of one namespace (or of the cluster) that KServe could not choose between; its webhook refuses the second of them.
 * @param other one that comes before it
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/webhook/admission/servingruntime/servingruntime_webhook.go (validateServingRuntimePriority)
 */
export function conflictWithRuntime(
  one: ServingRuntimeSpec, { name, spec: other }: { readonly name: string; readonly spec: ServingRuntimeSpec },
): Violation[] {
  const isSame = (a: RuntimeFormatSpec, b: RuntimeFormatSpec) => (
    b.autoSelect && a.priority === b.priority && a.version === b.version && a.name.toLowerCase() === b.name.toLowerCase());
  const areCompared = !one.disabled && !other.disabled && one.protocols.some((protocol) => other.protocols.includes(protocol));
  const format = !areCompared ? undefined
    : one.formats.find((each) => each.autoSelect && each.priority !== undefined && other.formats.some((twin) => isSame(each, twin)));
  return format === undefined ? [] : [{
    path: 'spec.supportedModelFormats', value: format.name, message: `'${name}' serves the format with the same priority (${format.priority}) and protocol, `
      + 'and KServe refuses the second. Give one of them another priority.',
  }];
}

function validatePlaceholders({ command = [], args = [], env = [] }: ServingRuntimeSpec, violations: ViolationCollector): void {
  const texts = [
    ...command.map((text, index) => [`spec.containers[0].command[${index}]`, text] as const),
    ...args.map((text, index) => [`spec.containers[0].args[${index}]`, text] as const),
    ...env.map(({ name, value = '' }) => [`spec.containers[0].env[${name}]`, value] as const),
  ];
  for (const [path, text] of texts) {
    for (const [, inner] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const written = inner.trim();
      const field = /^\.[A-Za-z]*/.exec(written)?.[0] ?? written;
      if (!PLACEHOLDERS.includes(field)) {
        violations.add(path, text, `KServe fills in {{.Name}}, {{.Namespace}}, {{.Labels.x}} and {{.Annotations.x}} of the service.${didYouMean(field, PLACEHOLDERS)}`);
      }
    }
  }
}

function validateWorker({ worker, env = [], resources }: ServingRuntimeSpec, violations: ViolationCollector): void {
  if (worker === undefined) {
    return;
  }
  for (const { name } of env.filter((variable) => WORKER_VARIABLES.includes(variable.name))) {
    violations.add(`spec.containers[0].env[${name}]`, name, 'is set by KServe from the worker. Use worker.pipelineParallel and worker.tensorParallel.');
  }
  for (const [field, value] of [['pipelineParallelSize', worker.pipelineParallel], ['tensorParallelSize', worker.tensorParallel]] as const) {
    violations.whole(`spec.workerSpec.${field}`, value, 1);
  }
  for (const [path, gpus] of [['spec.containers[0].resources', resources], ['spec.workerSpec.containers[0].resources', worker.resources]] as const) {
    const name = (gpus?.gpu ?? 0) > 0 ? gpus?.gpuResourceName ?? KNOWN_GPU_RESOURCES[0] : undefined;
    if (name !== undefined && !KNOWN_GPU_RESOURCES.includes(name)) {
      violations.add(path, name, `KServe counts ${KNOWN_GPU_RESOURCES.join(', ')} across several nodes. Use whole GPUs of one of them.`);
    }
  }
}

/** Places by the beginning of their URIs, or by a regular expression. */
export interface StorageFormatSpec {
  readonly prefix?: string;
  readonly regex?: string;
}

/** A container that downloads from places of the user's. */
export interface StorageContainerSpec {
  readonly image: string;
  readonly formats: readonly StorageFormatSpec[];
  readonly env?: readonly EnvVarSpec[];
  readonly resources?: ResourcesSpec;
  readonly downloadsSeveral?: boolean;
}

/** Prefixes of KServe's own container. */
const TAKEN_PREFIXES: readonly string[] = ['gs://', 's3://', 'hdfs://', 'webhdfs://', 'hf://', 'pvc://', 'oci://'];

export function validateStorageContainer({ formats }: StorageContainerSpec): Violation[] {
  const violations = new ViolationCollector();
  if (formats.length === 0) {
    violations.add('spec.supportedUriFormats', undefined, 'is required: without a prefix or pattern no URI matches. Add one.');
  }
  formats.forEach(({ prefix, regex }, index) => {
    const path = `spec.supportedUriFormats[${index}]`;
    if (prefix !== undefined && TAKEN_PREFIXES.includes(prefix)) {
      violations.add(`${path}.prefix`, prefix, 'belongs to KServe\'s own container, and it is undefined which of the two downloads. Use another scheme.');
    } else if (prefix !== undefined && !/^[a-z][-+.a-z0-9]*:\/\//.test(prefix)) {
      violations.add(`${path}.prefix`, prefix, 'must begin with a scheme, such as dvc://.');
    }
    const problem = regex === undefined ? undefined : problemOfGoExpression(regex);
    if (problem !== undefined) {
      violations.add(`${path}.regex`, regex, `is not a regular expression: ${problem}. Correct it.`);
    }
  });
  return violations.violations;
}
