/**
 * A pipeline as kfp 2 compiles it: one YAML document with components, executors and tasks, and a second one where the pipeline says something of
 * Kubernetes. What the API server of Kubeflow Pipelines refuses, or only notices in a run, is found when the file is read.
 * @see https://github.com/kubeflow/pipelines/blob/master/api/v2alpha1/pipeline_spec.proto
 */
import { isFilled, isRecord, jsonText, record, textIn, texts, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { Fields } from '../serving/spec';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

export interface PipelineInput {
  readonly parameterType?: string;
  readonly defaultValue?: unknown;
  readonly isOptional?: boolean;
  readonly description?: string;
}

/** A pipeline that keeps all rules. */
export interface PipelineFileSpec {
  readonly name: string;
  readonly pipelineSpec: Fields;
  readonly platformSpec?: Fields;
  readonly inputs: { readonly [name: string]: PipelineInput };
}

/** The API server refuses others: names of pipelines go into the metadata store. */
const NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;

/** Longest document, so that the object with the version stays below what etcd takes. */
const MAX_LENGTH = 1_000_000;

/** The only schema that Kubeflow Pipelines takes. @see https://github.com/kubeflow/pipelines/blob/2.16.0/backend/src/apiserver/template/template.go */
const SCHEMA_VERSION = '2.1.0';

/** Kinds of executors that are run on Kubernetes. @see https://github.com/kubeflow/pipelines/blob/2.16.0/backend/src/v2/compiler/argocompiler/dag.go */
const RUN_EXECUTORS = ['container', 'importer'] as const;

/** What is wrong with a PipelineVersion in a manifest. */
export function validatePipelineVersion({ spec }: ManifestObject): Violation[] {
  const { pipelineSpec, platformSpec } = record(spec);
  return validatePipelineFile([pipelineSpec, ...(platformSpec === undefined || platformSpec === null ? [] : [platformSpec])])
    .map((violation) => ({ ...violation, path: `spec.pipelineSpec${violation.path === '' ? '' : `.${violation.path}`}` }));
}

/** Which of the documents is the pipeline, and which one what it says of Kubernetes. */
function sort(documents: readonly Fields[]): { readonly pipelines: readonly Fields[]; readonly platforms: readonly Fields[] } {
  return { pipelines: documents.filter((document) => !('platforms' in document)), platforms: documents.filter((document) => 'platforms' in document) };
}

export function validatePipelineFile(documents: readonly unknown[]): Violation[] {
  const violations = new ViolationCollector();
  if (!documents.every(isRecord)) {
    violations.add('', undefined, 'a document of the file is not an object. Compile the pipeline with kfp 2.');
    return violations.violations;
  }
  const { pipelines, platforms } = sort(documents);
  const [pipeline = {}] = pipelines;
  if (String(pipeline.apiVersion ?? '').startsWith('argoproj.io/')) {
    violations.add('apiVersion', pipeline.apiVersion, 'is an Argo workflow, as compiled by kfp 1. Compile it with kfp 2.');
    return violations.violations;
  }
  if (pipelines.length !== 1 || platforms.length > 1) {
    violations.add('', `${pipelines.length} pipelines`, 'a file has one pipeline, and at most one document with platforms. Put others into separate files.');
    return violations.violations;
  }
  validateHead(pipeline, violations);
  validateComponents(pipeline, violations);
  if (JSON.stringify(documents).length > MAX_LENGTH) {
    violations.add('', `${JSON.stringify(documents).length} characters`, `has more than ${MAX_LENGTH} characters, more than a Kubernetes object can hold. Move embedded code into images.`);
  }
  return violations.violations;
}

/** What the documents of a file without violations say. */
export function pipelineFileSpec(documents: readonly unknown[]): PipelineFileSpec {
  const { pipelines: [pipelineSpec], platforms: [platformSpec] } = sort(documents as readonly Fields[]);
  const { pipelineInfo, root } = pipelineSpec as { readonly pipelineInfo: { readonly name: string }; readonly root: { readonly inputDefinitions?: { readonly parameters?: PipelineFileSpec['inputs'] } } };
  return { name: pipelineInfo.name, pipelineSpec, ...(platformSpec && { platformSpec }), inputs: root.inputDefinitions?.parameters ?? {} };
}

function validateHead({ pipelineInfo, schemaVersion, root }: Fields, violations: ViolationCollector): void {
  const { name } = record(pipelineInfo);
  if (typeof name !== 'string' || !NAME.test(name)) {
    violations.add('pipelineInfo.name', name, 'is required: lower-case letters, digits and \'-\', 128 at most, not starting with a dash. Compile the file with kfp 2, and give the pipeline such a name.');
  }
  if (schemaVersion !== SCHEMA_VERSION) {
    violations.add('schemaVersion', schemaVersion, `must be ${SCHEMA_VERSION}, the only one that Kubeflow Pipelines takes. Compile the file with kfp 2.`);
  }
  if (!isRecord(record(root).dag)) {
    violations.add('root.dag', undefined, 'is required: a pipeline has tasks. Compile a function with @dsl.pipeline, not a single component.');
  }
}

/** What tasks and components refer to has to be there, and be something that Kubeflow Pipelines runs. */
function validateComponents({ components, deploymentSpec, root }: Fields, violations: ViolationCollector): void {
  const known: Known = { components: record(components), executors: record(record(deploymentSpec).executors) };
  for (const [path, component] of [['root', root] as const, ...Object.entries(known.components).map(([name, entry]) => [`components.${name}`, entry] as const)]) {
    const { executorLabel, dag } = record(component);
    if (executorLabel !== undefined) {
      validateExecutor(path, jsonText(executorLabel), known, violations);
    }
    const tasks = record(record(dag).tasks);
    for (const [name, task] of Object.entries(tasks)) {
      validateTask(`${path}.dag.tasks.${name}`, record(task), tasks, known, violations);
    }
  }
}

/** What tasks can refer to. */
interface Known {
  readonly components: JsonRecord;
  readonly executors: JsonRecord;
}

function validateExecutor(path: string, label: string, { executors }: Known, violations: ViolationCollector): void {
  if (!Object.hasOwn(executors, label)) {
    violations.add(`${path}.executorLabel`, label, `is not an executor of deploymentSpec.${didYouMean(label, Object.keys(executors))} Compile the file again.`);
  } else if (!RUN_EXECUTORS.some((kind) => isRecord(record(executors[label])[kind]))) {
    violations.add(`deploymentSpec.executors.${label}`, Object.keys(record(executors[label])), `must have ${RUN_EXECUTORS.join(' or ')}: Kubeflow Pipelines runs nothing else. Use a container component.`);
  }
}

function validateTask(path: string, task: JsonRecord, tasks: JsonRecord, { components, executors }: Known, violations: ViolationCollector): void {
  const reference = textIn(record(task.componentRef).name);
  if (reference === undefined || !Object.hasOwn(components, reference)) {
    violations.add(`${path}.componentRef.name`, reference, `is not a component of the pipeline.${didYouMean(reference ?? '', Object.keys(components))} Compile the file again.`);
  }
  if (isRecord(task.artifactIterator)) {
    violations.add(`${path}.artifactIterator`, task.artifactIterator.itemInput, 'Kubeflow Pipelines does not run loops over artifacts. Use dsl.ParallelFor over parameters, such as URIs.');
  }
  const { condition } = record(task.triggerPolicy);
  const executor = record(executors[jsonText(record(components[reference ?? '']).executorLabel ?? '')]);
  if (isFilled(condition) && isRecord(executor.importer)) {
    violations.add(`${path}.triggerPolicy.condition`, condition, 'Kubeflow Pipelines does not run an importer under a condition. Put the importer into a pipeline of its own, called under the condition.');
  }
  const { inputs, dependentTasks } = task;
  const sources = [...Object.entries(record(record(inputs).parameters)), ...Object.entries(record(record(inputs).artifacts))];
  const producers = [
    ...sources.flatMap(([input, source]) => [record(source).taskOutputParameter, record(source).taskOutputArtifact].filter(isRecord)
      .map(({ producerTask }) => ({ where: `inputs of '${input}'`, producer: textIn(producerTask) }))),
    ...texts(dependentTasks).map((producer) => ({ where: 'dependentTasks', producer })),
  ];
  const missing = producers.find(({ producer }) => producer === undefined || !Object.hasOwn(tasks, producer));
  if (missing !== undefined) {
    violations.add(`${path}.${missing.where}`, missing.producer, `is not a task in the same group.${didYouMean(missing.producer ?? '', Object.keys(tasks))} Compile the file again.`);
  }
}
