/**
 * A pipeline as kfp 2 compiles it: one YAML document with components, executors and tasks, and a second one where the pipeline says something of
 * Kubernetes. What the API server of Kubeflow Pipelines refuses, or only notices in a run, is found when the file is read.
 * @see https://github.com/kubeflow/pipelines/blob/master/api/v2alpha1/pipeline_spec.proto
 */
import { isRecord } from '../json-parts';
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

interface Component {
  readonly executorLabel?: string;
  readonly dag?: { readonly tasks?: { readonly [name: string]: Task } };
}

interface Task {
  readonly componentRef?: { readonly name?: string };
  readonly dependentTasks?: readonly string[];
  readonly inputs?: { readonly parameters?: Inputs; readonly artifacts?: Inputs };
}

interface Inputs {
  readonly [name: string]: { readonly [source: string]: unknown };
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
  const { name } = (pipelineInfo ?? {}) as { readonly name?: string };
  if (name === undefined || !NAME.test(name)) {
    violations.add('pipelineInfo.name', name, 'is required: lower-case letters, digits and \'-\', 128 at most, not starting with a dash. Compile the file with kfp 2, and give the pipeline such a name.');
  }
  if (!/^2\.\d+\.\d+$/.test(String(schemaVersion ?? ''))) {
    violations.add('schemaVersion', schemaVersion, 'must be 2.x.y. Compile the file with kfp 2.');
  }
  if (typeof root !== 'object' || root === null || !('dag' in root)) {
    violations.add('root.dag', undefined, 'is required: a pipeline has tasks. Compile a function with @dsl.pipeline, not a single component.');
  }
}

/** What tasks and components refer to has to be there. */
function validateComponents(pipeline: Fields, violations: ViolationCollector): void {
  const components = (pipeline.components ?? {}) as { readonly [name: string]: Component };
  const { executors = {} } = (pipeline.deploymentSpec ?? {}) as { readonly executors?: Fields };
  for (const [path, component] of [['root', (pipeline.root ?? {}) as Component] as const, ...Object.entries(components).map(([name, entry]) => [`components.${name}`, entry] as const)]) {
    if (component.executorLabel !== undefined && !(component.executorLabel in executors)) {
      violations.add(`${path}.executorLabel`, component.executorLabel, `is not an executor of deploymentSpec.${didYouMean(component.executorLabel, Object.keys(executors))} Compile the file again.`);
    }
    const tasks = component.dag?.tasks ?? {};
    for (const [name, task] of Object.entries(tasks)) {
      validateTask(`${path}.dag.tasks.${name}`, task, { components, tasks }, violations);
    }
  }
}

function validateTask(
  path: string, task: Task, { components, tasks }: { readonly components: object; readonly tasks: object }, violations: ViolationCollector,
): void {
  const reference = task.componentRef?.name;
  if (reference === undefined || !(reference in components)) {
    violations.add(`${path}.componentRef.name`, reference, `is not a component of the pipeline.${didYouMean(reference ?? '', Object.keys(components))} Compile the file again.`);
  }
  const producers = [...Object.entries(task.inputs?.parameters ?? {}), ...Object.entries(task.inputs?.artifacts ?? {})].flatMap(([input, source]) => (
    [source.taskOutputParameter, source.taskOutputArtifact].flatMap((output) => {
      const { producerTask } = (output ?? {}) as { readonly producerTask?: string };
      return producerTask === undefined ? [] : [{ where: `inputs of '${input}'`, producerTask }];
    })));
  for (const { where, producerTask } of [...producers, ...(task.dependentTasks ?? []).map((producerTask) => ({ where: 'dependentTasks', producerTask }))]) {
    if (!(producerTask in tasks)) {
      violations.add(`${path}.${where}`, producerTask, `is not a task in the same group.${didYouMean(producerTask, Object.keys(tasks))} Compile the file again.`);
      return;
    }
  }
}
