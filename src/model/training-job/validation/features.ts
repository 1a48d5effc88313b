/** Rules on the larger features that have no file of their own. */
import { variablesOf, validateList } from './variables';
import { ARRAY_VARIABLES, INDEX_PLACEHOLDER, arrayCopySpec } from '../array';
import { INIT_NEEDS_COMMAND, hasInit, hasWords } from '../init';
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { whyNotInPlace } from '../restart-in-place';
import type { EnvVarSpec, TrainingJobSpec } from '../spec';
import { elasticFrameworks } from '../../frameworks/registry';
import { arrayJobName, inTermsOf } from '../../names';
import { fieldPath } from '../../shapes';
import { isSearch } from '../../tuning/trial-spec';
import { checkTaken, isShellName } from '../../variable-references';
import { ViolationCollector, type Violation } from '../../violations';
import { validateResources } from './roles';
import { HOOK_VARIABLES } from '../environment/hook-environment';
import { HOOK_NAMES, hookDevicesProblem, hookSuffix } from '../hooks';

export function validateCheckpoint(spec: TrainingJobSpec, violations: ViolationCollector): void {
  const { checkpoint } = spec;
  if (checkpoint?.keepLast !== undefined && spec.checkpointPath === undefined) {
    violations.add('spec.checkpoint.keepLast', checkpoint.keepLast, 'needs a checkpoint location. Set spec.checkpointPath.');
  }
  if (checkpoint?.claimName !== undefined && !spec.checkpointPath?.startsWith('/')) {
    violations.add('spec.checkpointPath', spec.checkpointPath,
      'must be an absolute path when spec.checkpoint.claimName is given: the claim is mounted there.');
  }
  if (checkpoint?.subPath !== undefined && checkpoint.claimName === undefined) {
    violations.add('spec.checkpoint.subPath', checkpoint.subPath, 'is a folder inside a claim. Set spec.checkpoint.claimName.');
  }
  if (checkpoint?.subPath !== undefined && (checkpoint.subPath.startsWith('/') || checkpoint.subPath.split('/').includes('..'))) {
    violations.add('spec.checkpoint.subPath', checkpoint.subPath, 'must be a relative path without \'..\'.');
  }
}

/** Checks the rules of any job; `validation.ts`, which this file cannot import without a circle. */
type ValidateJob = (name: string, spec: TrainingJobSpec) => Violation[];

/** Rules on `spec.array`: what it cannot be combined with, and that every copy would be a valid job. */
export function validateArray(name: string, spec: TrainingJobSpec, validateJob: ValidateJob): Violation[] {
  const { array, autoTuning, elastic, checkpoint, checkpointPath } = spec;
  if (array === undefined) {
    return [];
  }
  const violations = new ViolationCollector();
  if (isSearch(spec)) {
    violations.add('spec.array', array, `cannot be combined with autoTuning (${autoTuning!.objective}), whose trials are copies of the job already. `
      + 'Remove one of the two.');
  }
  if (elastic !== undefined) {
    violations.add('spec.array', array, 'cannot be combined with elastic: autoscalers would change the replicas of an array, which has no replicas of its own. '
      + 'Remove one of the two.');
  }
  validateVariables(spec.env, 'spec.env', violations);
  (spec.roles ?? []).forEach(({ env }, index) => validateVariables(env, `spec.roles[${index}].env`, violations));
  if (checkpoint?.claimName !== undefined && checkpointPath?.includes(INDEX_PLACEHOLDER)) {
    violations.add('spec.checkpointPath', checkpointPath, `is where the claim ${checkpoint.claimName} is mounted, in all copies. `
      + `Put ${INDEX_PLACEHOLDER} into spec.checkpoint.subPath, the folder inside the claim.`);
  }
  return violations.violations.length > 0 ? violations.violations : validateCopy(name, spec, array.count - 1, validateJob);
}

function validateVariables(env: readonly EnvVarSpec[] | undefined, path: string, violations: ViolationCollector): void {
  checkTaken(env, ARRAY_VARIABLES, path, 'is set by the operator in each copy of the array. Remove it.', violations);
}

/** The job of the last copy, whose name is the longest. */
function validateCopy(name: string, spec: TrainingJobSpec, index: number, validateJob: ValidateJob): Violation[] {
  const copyName = arrayJobName(name, index);
  return validateJob(copyName, arrayCopySpec(spec, index)).map((violation) => inTermsOf(name, copyName, violation));
}

export function validateElastic({ spec, framework }: ResolvedTrainingJob, violations: ViolationCollector): void {
  const { elastic, replicas, roles } = spec;
  if (elastic === undefined) {
    return;
  }
  const { minReplicas, maxReplicas, maxRestarts } = elastic;
  if (framework.elastic === undefined) {
    violations.add('spec.elastic', elastic,
      `is not possible with ${framework.title}, whose replicas cannot join and leave during training; it is supported by ${titles()}. Remove it.`);
    return;
  }
  if (roles !== undefined) {
    violations.add('spec.elastic', elastic,
      'needs the short form: kubectl scale and autoscalers change spec.replicas. Set replicas and leave roles out.');
  }
  if (minReplicas > maxReplicas) {
    violations.add('spec.elastic.maxReplicas', maxReplicas, `must be at least minReplicas (${minReplicas}). Raise it or lower minReplicas.`);
  } else if (replicas !== undefined && (replicas < minReplicas || replicas > maxReplicas)) {
    violations.add('spec.replicas', replicas, `must be within spec.elastic, from ${minReplicas} to ${maxReplicas}. Change it or the range.`);
  }
  if (maxRestarts !== undefined && framework.name !== 'pytorch') {
    violations.add('spec.elastic.maxRestarts', maxRestarts,
      `is torchrun's own limit, and ${framework.title} has none. Remove it; horovodrun has --reset-limit.`);
  }
}

function titles(): string {
  return elasticFrameworks().map(({ title }) => title).join(' and ');
}

/** Rules on `spec.init`: what an init in the form of a shell script needs. */
export function validateInit(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  const { spec } = job;
  if (spec.init !== true) {
    return;
  }
  const roles = job.roles.filter((role) => hasInit(job, role));
  const commandless = roles.find(({ command }) => !hasWords(command));
  if (commandless !== undefined) {
    violations.add('spec.command', spec.command, `${INIT_NEEDS_COMMAND}.`);
  }
  const drops = 'is dropped by many shells, and the init is a shell script: letters, digits and \'_\' only, not starting with a digit. Rename it, or remove init.';
  for (const name of Object.keys(spec.hyperparameters ?? {}).filter((candidate) => !isShellName(candidate))) {
    violations.add(fieldPath('spec.hyperparameters', name), name, drops);
  }
  for (const { path, entry } of roles.flatMap((role) => variablesOf(job, role)).filter(({ entry: { name } }) => !isShellName(name))) {
    violations.add(path, entry.name, drops);
  }
}

/** Checks the run policy of a resolved job; types and ranges of its fields are right already. */
export function validateRunPolicy(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  const { runPolicy } = job;
  validateRestartInPlace(job, violations);
  const { backoff } = runPolicy;
  if (backoff.maxSeconds < backoff.initialSeconds) {
    violations.add('spec.runPolicy.backoff.maxSeconds', backoff.maxSeconds,
      `must be at least initialSeconds (${backoff.initialSeconds}). Raise one or lower the other.`);
  }
  const seen = new Map<number, string>();
  for (const [list, codes] of Object.entries(runPolicy.exitCodes ?? {}) as [string, readonly number[] | undefined][]) {
    for (const code of codes ?? []) {
      const earlier = seen.get(code);
      if (earlier !== undefined) {
        violations.add(`spec.runPolicy.exitCodes.${list}`, code,
          `is already in exitCodes.${earlier}; a code has one meaning. Remove it from one list.`);
      }
      seen.set(code, list);
    }
  }
}

/** One role that can is enough: a chief that is never restarted may be next to workers that are. */
function validateRestartInPlace(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  if (!job.runPolicy.restartInPlace) {
    return;
  }
  const reasons = job.roles.map((role) => whyNotInPlace(job, role));
  if (reasons.every((reason) => reason !== undefined)) {
    violations.add('spec.runPolicy.restartInPlace', true, `is not possible: ${reasons[0]}. Remove it, or what it contradicts.`);
  }
}

export function validateHooks({ spec, roles }: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const { hooks, array } = spec;
  if (hooks === undefined) {
    return [];
  }
  if (array !== undefined || isSearch(spec)) {
    violations.add('spec.hooks', Object.keys(hooks), `cannot be combined with ${array === undefined ? 'autoTuning' : 'array'}, whose copies of the job would each run them. `
      + 'Remove one of the two, or run the steps as jobs of their own in a pipeline.');
  }
  for (const name of HOOK_NAMES.filter((candidate) => hooks[candidate] !== undefined)) {
    const hook = hooks[name]!;
    const path = `spec.hooks.${name}`;
    const problem = hookDevicesProblem(hook);
    if (problem !== undefined) {
      violations.add(`${path}.resources`, hook.resources, problem);
    }
    validateResources(hook.resources, `${path}.resources`, violations);
    validateList(hook.env ?? [], `${path}.env`, spec, violations);
    checkTaken(hook.env, HOOK_VARIABLES, `${path}.env`, 'is set by the operator in the pods of hooks. Remove it.', violations);
    if (roles.some((role) => role.name === hookSuffix(name))) {
      violations.add(path, hookSuffix(name), 'is also the name of a role, and their pods would have the same names. Rename the role.');
    }
  }
  return violations.violations;
}
