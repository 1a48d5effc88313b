/**
 * The job of a trial as a template of Katib: rendered by its engine with placeholders for the trial's name and the values, which are then replaced
 * with Katib's own `${trialParameters.NAME}`. Only this file writes such texts.
 *
 * Katib creates the job of a trial and nothing else. Other objects that an engine needs are shared by all trials where they do not depend on the
 * job's name, and a violation where they do.
 *
 * Programs are written in a form that survives Katib. Where its collector has to know when a program has ended, the webhook joins command and
 * arguments with spaces, gives the line to `sh -c`, and collects only the output of the line's last program. Words with spaces would be split, and of
 * a script only the last command would be seen. So a program is written as one line with each word in quotes, and the webhook's addition applies to
 * all of it.
 * @see https://github.com/kubeflow/katib/blob/v0.19.0/pkg/webhook/v1beta1/pod/utils.go
 */
import { primaryPod, type PrimaryPod } from './primary-pod';
import type { EngineDefinition, EngineJob, EngineObjects } from '../engines/engine';
import type { Container, Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { shellNeedsQuotes, shellWord } from '../../model/variable-references';
import { TRIAL_SUFFIX_LENGTH, wrapsProgram, type KatibSearch } from '../../model/katib/spec';
import { JOB_LABEL, SEARCH_LABEL, TRAINING_JOB_KIND } from '../../model/labels';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { BUDGET_VARIABLE, TRIAL_VARIABLE, upperSnake, withCheckpointFolder } from '../../model/tuning/trial-spec';
import type { Violation } from '../../model/violations';

const TRIAL_NAME_PARAMETER = 'trialName';

/** Beginning of the placeholders for values. */
const PLACEHOLDER = '<trialParameters.';

/** One entry of `trialParameters`. */
export interface TrialParameter {
  readonly name: string;
  readonly reference: string;
}

/** A trial as Katib's template describes it. */
export interface TrialTemplate {
  readonly trialSpec: object;
  readonly trialParameters: readonly TrialParameter[];
  readonly primaryPod: PrimaryPod;
  /** What all trials share; it has to exist before the search. */
  readonly shared: readonly Manifest[];
  /** What the engine needs in addition to each trial's job, which Katib does not create. */
  readonly violations: readonly Violation[];
}

/** Parameters that Katib sets: those of the search, and hyperband's budget. */
function parameterNames({ tuning }: KatibSearch): string[] {
  return [...Object.keys(tuning.parameters), ...(tuning.budget?.parameter === undefined ? [] : [tuning.budget.parameter])];
}

/** The placeholder for a trial's name, of the same length. */
export function placeholderName(search: string): string {
  return `${search}-${'z'.repeat(TRIAL_SUFFIX_LENGTH - 1)}`;
}

export function constructTrialTemplate(definition: EngineDefinition, search: KatibSearch): TrialTemplate {
  const { name, settings } = search;
  const engine = definition.sharingService?.(name) ?? definition;
  const spec = trialJobSpec(search);
  const job: EngineJob = {
    name: placeholderName(name), labels: { ...search.labels, [SEARCH_LABEL]: name }, spec: engine === definition ? spec : withPodLabel(spec, name),
  };
  const { container, labels } = primaryPod(engine, job);
  const rendered = engine.render(job);
  const companions = shareCompanions(definition, rendered, search);
  const { shared, violations } = companions;
  const started = wrapsProgram(settings.collector) ? withPlainPrograms(rendered.job, container) : rendered.job;
  const trialSpec = withParameters(started, search, companions);
  const text = JSON.stringify(trialSpec);
  const names = [...parameterNames(search), TRIAL_NAME_PARAMETER].filter((parameter) => text.includes(reference(parameter)));
  return {
    trialSpec,
    trialParameters: names.map((parameter) => ({ name: parameter, reference: parameter === TRIAL_NAME_PARAMETER ? '${trialSpec.Name}' : parameter })),
    primaryPod: { container, labels },
    shared: engine === definition ? shared : [sharedService(search), ...shared],
    violations,
  };
}

/** The job of a trial with placeholders for the values, and with the contract that trials of our operator have. */
function trialJobSpec(search: KatibSearch): TrainingJobSpec {
  const { name, job, tuning: { budget } } = search;
  const values = parameterNames(search).flatMap((key) => [[key, placeholder(key)], [upperSnake(key), placeholder(key)]]);
  return {
    ...job,
    ...withCheckpointFolder(job, placeholderName(name)),
    hyperparameters: { ...job.hyperparameters, ...Object.fromEntries(values) },
    env: [
      ...(job.env ?? []),
      { name: TRIAL_VARIABLE, value: placeholderName(name) },
      ...(budget?.parameter === undefined ? [] : [{ name: BUDGET_VARIABLE, value: placeholder(budget.parameter) }]),
    ],
  };
}

/** The job with a label on its pods, by which the service that trials share finds them. */
function withPodLabel({ template, ...job }: TrainingJobSpec, name: string): TrainingJobSpec {
  const { metadata } = (template ?? {}) as { readonly metadata?: { readonly labels?: object } };
  return { ...job, template: { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, [SEARCH_LABEL]: name } } } };
}

/** No parameter name contains such brackets, and no value may. */
function placeholder(parameter: string): string {
  return `${PLACEHOLDER}${parameter}>`;
}

function reference(parameter: string): string {
  return `\${trialParameters.${parameter}}`;
}

/** An MLTrainingJob has programs in addition to those of its templates; other jobs have them in their pods only. */
function withPlainPrograms(job: EngineObjects['job'], container: string): EngineObjects['job'] {
  const inPods = withKatibPrograms(job, container);
  const spec = inPods.spec as TrainingJobSpec & { readonly trainer?: object };
  if (job.kind === TRAINING_JOB_KIND) {
    const roles = spec.roles?.map((role) => katibProgram({ ...role, command: role.command ?? spec.command }));
    return { ...inPods, spec: { ...katibProgram(spec), ...(roles && { roles }) } };
  }
  return spec.trainer === undefined ? inPods : { ...inPods, spec: { ...spec, trainer: katibProgram(spec.trainer) } };
}

/** Replaces the placeholders with Katib's parameters and the names of shared objects, and removes name and namespace, which Katib sets. */
function withParameters({ metadata, ...job }: EngineObjects['job'], search: KatibSearch, companions: Companions): object {
  const { name: _name, namespace: _namespace, ...kept } = metadata;
  const trialName = placeholderName(search.name);
  const labelled = { ...job, metadata: { ...kept, labels: { ...search.labels, ...kept.labels, [SEARCH_LABEL]: search.name } } };
  return plainObject(mapTexts(companions.refer(labelled), (text) => parameterNames(search).reduce(
    (result, parameter) => result.replaceAll(placeholder(parameter), reference(parameter)),
    text.replaceAll(trialName, reference(TRIAL_NAME_PARAMETER)),
  )));
}

/** What an engine needs in addition to a job. */
interface Companions extends Pick<TrialTemplate, 'shared' | 'violations'> {
  /** The job of a trial with the names of what is shared. */
  refer<T extends object>(job: T): T;
}

/** One for all trials, named after the search, where it does not refer to the job; otherwise a violation. */
function shareCompanions({ title }: EngineDefinition, { companions }: EngineObjects, { name, namespace }: KatibSearch): Companions {
  const trialName = placeholderName(name);
  const shared = new Map<string, Manifest>();
  const violations: Violation[] = [];
  for (const companion of companions) {
    const { metadata: { name: own, ...metadata }, ...body } = withLabelsOfSearch(companion, trialName, name);
    const text = JSON.stringify({ metadata, body });
    if (text.includes(trialName) || text.includes(PLACEHOLDER)) {
      violations.push({
        path: 'engine', value: title, message: `creates a ${companion.kind} for each job ('${own.replace(trialName, 'NAME')}'), but Katib creates only the job of a trial. `
          + 'Remove the option that needs it, or choose another engine.',
      });
    } else {
      shared.set(own, plainObject({ ...body, metadata: { ...metadata, name: own.replace(trialName, name), namespace } }));
    }
  }
  const runtime = shared.get(trialName)?.metadata.name;
  const rename = (text: string) => (text === trialName ? text : shared.get(text)?.metadata.name ?? text);
  return {
    shared: [...shared.values()],
    violations,
    // A runtime has the name of its job, which occurs in many places; in one of them it is the runtime's.
    refer: <T extends object>(job: T): T => {
      const renamed = mapTexts(job, rename);
      const { spec } = renamed as unknown as { readonly spec: { readonly runtimeRef?: object } };
      return runtime === undefined ? renamed : { ...renamed, spec: { ...spec, runtimeRef: { ...spec.runtimeRef, name: runtime } } };
    },
  };
}

/** Labels that identify an object's owner: the search, for what all trials share. Selectors by them are left as they are. */
function withLabelsOfSearch<T>(value: T, trialName: string, name: string, isLabels = false): T {
  if (Array.isArray(value)) {
    return value.map((item) => withLabelsOfSearch(item, trialName, name)) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [
    field, isLabels && field === JOB_LABEL && item === trialName ? name : withLabelsOfSearch(item, trialName, name, field === 'labels'),
  ])) as T;
}

/** One headless service for the pods of all trials, whose host names differ. */
function sharedService({ name, namespace, labels }: KatibSearch): Manifest {
  return plainObject({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { ...labels, [SEARCH_LABEL]: name } },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { [SEARCH_LABEL]: name } },
  });
}

/** A copy with other texts, object keys included. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') {
    return change(value) as T;
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, change)) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, mapTexts(item, change)])) as T;
}

/** The program of a container. */
export interface Program {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

/** The program as one shell line; unchanged where every word is plain, or where the image's entry point starts it. */
export function katibProgram<P extends Program>(program: P): P {
  const { command, args = [] } = program;
  const words = [...command ?? [], ...args];
  return command === undefined || !words.some(shellNeedsQuotes) ? program : { ...program, command: ['sh', '-c'], args: [words.map(shellWord).join(' ')] };
}

/** Rewrites the containers of a name in all pods of an object. */
function withKatibPrograms<T>(value: T, container: string): T {
  if (Array.isArray(value)) {
    return value.map((item) => withKatibPrograms(item, container)) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, field === 'containers' && Array.isArray(item)
    ? (item as Container[]).map((entry) => (entry.name === container ? katibProgram(entry) : entry))
    : withKatibPrograms(item, container)])) as T;
}
