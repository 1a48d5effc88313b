import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { pipelineFileSpec, validatePipelineFile } from '../../../src/model/pipelines/pipeline-file';
import { validateRecurringRun, type RecurringRunSpec } from '../../../src/model/pipelines/recurring-run';
import { formatViolation, type Violation } from '../../../src/model/violations';

const FILE = readFileSync(path.join(__dirname, '..', '..', '..', 'examples', 'pipelines', 'pipeline.yaml'), 'utf8');

/** What is wrong with the example's file with texts replaced, and the same of the object that `trainyard validate` reads. */
function file(...replaced: string[]): Violation[] {
  let text = FILE;
  for (let index = 0; index < replaced.length; index += 2) {
    expect(text).toContain(replaced[index]);
    text = text.replace(replaced[index], replaced[index + 1]);
  }
  const documents = parseAllDocuments(text).map((document) => document.toJS() as { platforms?: object });
  const violations = validatePipelineFile(documents);
  const [pipelineSpec, ...others] = documents;
  if (others.every(({ platforms }) => platforms !== undefined)) {
    const object = { apiVersion: 'pipelines.kubeflow.org/v2beta1', kind: 'PipelineVersion', metadata: { name: 'v1' }, spec: { pipelineName: 'p', pipelineSpec, platformSpec: others[0] } };
    expect(checkForeign(object, [object]).map(({ path, message }) => ({ path: path.replace(/^spec\.pipelineSpec\.?/, ''), message })))
      .toEqual(violations.map(({ path, message }) => ({ path, message })));
  }
  return violations;
}

const { inputs } = pipelineFileSpec(parseAllDocuments(FILE).map((document) => document.toJS()));

function run(changes: Partial<RecurringRunSpec> = {}): Violation[] {
  return validateRecurringRun({ name: 'nightly', schedule: '@daily', endpoint: 'http://ml-pipeline:8888', parameters: { table: 'clicks' }, inputs, ...changes });
}

const BROKEN: readonly (readonly [string, Violation[], string])[] = [
  ['a pipeline of kfp 1', file('components:', 'apiVersion: argoproj.io/v1alpha1\ncomponents:'), 'apiVersion: "argoproj.io/v1alpha1": is an Argo'],
  ['a text', validatePipelineFile(['pipeline']), ': a document of the file is not an object.'],
  ['two pipelines', file('platforms:', 'pipelineInfo:'), ': "2 pipelines": a file has one pipeline'],
  ['a name with a capital', file('  name: nightly-training', '  name: Nightly'), 'pipelineInfo.name: "Nightly": is required: lower-case letters'],
  ['no name', file('  name: nightly-training', '  other: x'), 'pipelineInfo.name: is required'],
  ['another schema', file('schemaVersion: 2.1.0', 'schemaVersion: 1.0.0'), 'schemaVersion: "1.0.0": must be 2.1.0, the only one'],
  ['an empty name', file('  name: nightly-training', '  name:'), 'pipelineInfo.name: null: is required'],
  ['a resolver', file('    exec-train:\n      container:', '    exec-train:\n      resolver:'), 'deploymentSpec.executors.exec-train: ["resolver"]: must have container or importer'],
  ['a loop over artifacts', file('dependentTasks: [prepare]', 'artifactIterator: {itemInput: data}'), 'root.dag.tasks.train.artifactIterator: "data": Kubeflow Pipelines does not run loops'],
  ['an importer under a condition', file('dependentTasks: [prepare]', 'triggerPolicy: {condition: a}', '    exec-train:\n      container:', '    exec-train:\n      importer:'), 'root.dag.tasks.train.triggerPolicy.condition: "a"'],
  ['an output without a producer', file('producerTask: prepare', 'outputTask: prepare'), 'root.dag.tasks.train.inputs of \'data\': is not a task in the same group.'],
  ['no tasks', file('\nroot:\n  dag:', '\nroot:\n  graph:'), 'root.dag: is required: a pipeline has tasks.'],
  ['a component that is missing', file('name: comp-train', 'name: comp-trian'), 'root.dag.tasks.train.componentRef.name: "comp-trian": is not a component of the pipeline. Did you mean \'comp-train\'?'],
  ['an executor that is missing', file('executorLabel: exec-train', 'executorLabel: exec-other'), 'components.comp-train.executorLabel: "exec-other": is not an executor of deploymentSpec.'],
  ['a task that is missing', file('dependentTasks: [prepare]', 'dependentTasks: [prepar]'), 'root.dag.tasks.train.dependentTasks: "prepar": is not a task in the same group. Did you mean \'prepare\'?'],
  ['an output of nobody', file('producerTask: prepare', 'producerTask: other'), 'root.dag.tasks.train.inputs of \'data\': "other": is not a task in the same group.'],
  ['a file that no object holds', file('command: [python, train.py]', `command: [python, ${'x'.repeat(1_000_000)}]`), 'has more than 1000000 characters'],
  ['a name with a dot', run({ name: 'night.ly' }), 'metadata.name: "night.ly": must be a DNS-1035 label'],
  ['a long name', run({ name: 'n'.repeat(53) }), `metadata.name: "${'n'.repeat(53)}": has 53 characters, and a CronJob has room for 52.`],
  ['a schedule of four fields', run({ schedule: '0 2 * *' }), 'schedule: "0 2 * *":'],
  ['a time zone that is none', run({ timeZone: 'Berlin' }), 'timeZone: "Berlin": is not a time zone'],
  ['an address without a scheme', run({ endpoint: 'ml-pipeline:8888' }), 'endpoint: "ml-pipeline:8888": must be a URL'],
  ['a parameter that is none', run({ parameters: { table: 'a', epoch: 3 } }), 'parameters.epoch: 3: the pipeline has epochs, table. Did you mean \'epochs\'? Remove it.'],
  ['a parameter of a pipeline without any', run({ inputs: {}, parameters: { a: 1 } }), 'parameters.a: 1: the pipeline has no parameters.'],
  ['a text as a number', run({ parameters: { table: 'a', epochs: '3' } }), 'parameters.epochs: "3": must be a whole number, because the pipeline declares NUMBER_INTEGER.'],
  ['a parameter that is missing', run({ parameters: {} }), 'parameters.table: is required: the pipeline has no default for it.'],
];

test.each(BROKEN)('%s is one violation', (_what, violations, line) => {
  expect(violations.map(formatViolation)).toEqual([expect.stringContaining(line)]);
});

test('every violation says what to do', () => {
  expect(BROKEN.flatMap(([, violations]) => violations).filter(({ message }) => !/\.$/.test(message))).toEqual([]);
});

test.each([
  undefined, null, 'x', [], { root: null, components: { a: null, b: [] }, deploymentSpec: 'x' },
  { components: 'x', root: { dag: { tasks: { a: null, b: { inputs: 'x', dependentTasks: {} } } } } },
  { root: { executorLabel: 3, dag: { tasks: { a: { componentRef: 1, triggerPolicy: [], inputs: { artifacts: { q: {} } } } } } } },
  { root: { dag: { tasks: { a: { inputs: { parameters: { p: null } } } } } } },
])('%j is refused, and ends nothing', (pipelineSpec) => {
  const object = { apiVersion: 'pipelines.kubeflow.org/v2beta1', kind: 'PipelineVersion', metadata: { name: 'v1' }, spec: { pipelineSpec, platformSpec: null } };
  expect(checkForeign(object, [object])).not.toEqual([]);
});

test.each<[string, unknown, boolean]>([
  ['STRING', 'a', true], ['STRING', 1, false], ['NUMBER_DOUBLE', 1.5, true], ['NUMBER_DOUBLE', NaN, false], ['BOOLEAN', false, true], ['BOOLEAN', 'false', false],
  ['LIST', [1], true], ['LIST', {}, false], ['STRUCT', { a: 1 }, true], ['STRUCT', [1], false], ['TASK_FINAL_STATUS', 'anything', true],
])('a parameter of the type %s with the value %j', (parameterType, value, isRight) => {
  expect(run({ inputs: { a: { parameterType } }, parameters: { a: value } }).length === 0).toBe(isRight);
});

test('the example is right, and its runs are', () => {
  expect(file()).toEqual([]);
  expect(run()).toEqual([]);
  expect(run({ name: 'n'.repeat(52), timeZone: 'Europe/Berlin' })).toEqual([]);
});
