/**
 * Run identity: which run a pod belongs to, and of what it is made. All of it follows from the program, so that two synths say the same and a
 * retry is the same run. It is written into fields that every engine has, labels and variables, so no engine and no operator has to know of it.
 */
import { CODE_DIGEST_LABEL, IMAGE_DIGEST_LABEL, PARENT_RUN_LABEL, RUN_LABEL, SPEC_DIGEST_LABEL } from '../labels';
import { DNS_LABEL_MAX_LENGTH, isLabelValue } from '../names';
import { isArray } from '../training-job/array';
import { HOOK_NAMES, type HookName, type HookSpec } from '../training-job/hooks';
import type { EnvVarSpec, TrainingJobSpec } from '../training-job/spec';
import { checkTaken } from '../variable-references';
import { ViolationCollector, type Violation } from '../violations';

export const RUN_VARIABLES = {
  id: 'TRAINYARD_RUN_ID',
  parent: 'TRAINYARD_PARENT_RUN',
  spec: 'TRAINYARD_SPEC_DIGEST',
  code: 'TRAINYARD_CODE_DIGEST',
  image: 'TRAINYARD_IMAGE_DIGEST',
} as const;

export const RUN_LABELS: readonly string[] = [RUN_LABEL, PARENT_RUN_LABEL, SPEC_DIGEST_LABEL, CODE_DIGEST_LABEL, IMAGE_DIGEST_LABEL];

/** What the author of a job says of its run. */
export interface RunSpec {
  /** @default - the job's name and the beginning of the digest of its spec */
  readonly id?: string;
  readonly parent?: string;
}

/** A run. Digests are `sha256:` and 64 digits. */
export interface RunIdentity {
  /** Id of the job's run; of a search or an array the id that its runs have in common. */
  readonly id: string;
  /** Value of the variable: in searches and arrays each trial and each copy fills in its own name. */
  readonly ownId: string;
  readonly parent?: string;
  readonly specDigest: string;
  readonly codeDigest?: string;
}

/** Digits of a digest in labels and generated ids: 64 bits are enough to select by. */
const LABEL_DIGITS = 16;
const ID_DIGITS = 8;

/** What does not change what is trained. */
const NOT_THE_RUN: readonly (keyof TrainingJobSpec)[] = ['suspend', 'managedBy'];

export function validateRun(run: RunSpec): Violation[] {
  const violations = new ViolationCollector();
  for (const field of ['id', 'parent'] as const) {
    const value = run[field];
    if (value !== undefined && (value === '' || !isLabelValue(value))) {
      violations.add(`run.${field}`, value,
        `must be at most ${DNS_LABEL_MAX_LENGTH} letters, digits, '-', '_' and '.', with a letter or digit at both ends: it is a label of pods.`);
    }
  }
  if (run.id !== undefined && run.id === run.parent) {
    violations.add('run.parent', run.parent, 'is the run itself. Set the run that this one continues, or leave it out.');
  }
  return violations.violations;
}

/** Checks that the job sets nothing that its identity or its tracker says. @param added variables of both */
export function validateRunVariables(spec: TrainingJobSpec, added: readonly string[], by: string): Violation[] {
  const violations = new ViolationCollector();
  const check = (env: readonly EnvVarSpec[] | undefined, path: string) => (
    checkTaken(env, added, path, `is set by '${by}' of the job. Remove it here, or leave '${by}' out.`, violations));
  check(spec.env, 'spec.env');
  (spec.roles ?? []).forEach(({ env }, index) => check(env, `spec.roles[${index}].env`));
  (spec.helpers ?? []).forEach(({ env }, index) => check(env, `spec.helpers[${index}].env`));
  HOOK_NAMES.forEach((name) => check(spec.hooks?.[name]?.env, `spec.hooks.${name}.env`));
  return violations.violations;
}

/** The spec as a text that is the same whatever the order of its fields is. */
export function canonicalSpec(spec: TrainingJobSpec): string {
  return JSON.stringify(sorted(Object.fromEntries(Object.entries(spec).filter(([field]) => !NOT_THE_RUN.includes(field as keyof TrainingJobSpec)))));
}

/** The identity of a job's run. @param sha256 hex digits of the digest of a text */
export function runIdentity(name: string, spec: TrainingJobSpec, run: RunSpec, sha256: (text: string) => string): RunIdentity {
  const digest = sha256(canonicalSpec(spec));
  const short = digest.slice(0, ID_DIGITS);
  const id = run.id ?? `${name.slice(0, DNS_LABEL_MAX_LENGTH - ID_DIGITS - 1)}-${short}`;
  return {
    id,
    // The name is a variable of each replica, and another one in each trial and copy.
    ownId: hasRunsOfItsOwn(spec) ? (run.id === undefined ? `$(TRAINYARD_JOB_NAME)-${short}` : `${run.id}-$(TRAINYARD_JOB_NAME)`) : id,
    parent: run.parent,
    specDigest: `sha256:${digest}`,
    codeDigest: spec.code?.digest,
  };
}

/** Whether each of the job's trials or copies is a run. */
export function hasRunsOfItsOwn(spec: TrainingJobSpec): boolean {
  return spec.autoTuning !== undefined || isArray(spec);
}

/** The spec with its identity in variables and labels, and with further variables that depend on it. */
export function withRun(spec: TrainingJobSpec, identity: RunIdentity, further: readonly EnvVarSpec[]): TrainingJobSpec {
  const hooks = Object.entries(spec.hooks ?? {}) as [HookName, HookSpec][];
  const images = [...spec.roles ?? [], ...spec.helpers ?? [], ...hooks.map(([, hook]) => hook)].map(({ image }) => image);
  const sameImage = images.every((image) => image === undefined || image === spec.image);
  const ofRole = <R extends { readonly image?: string; readonly env?: readonly EnvVarSpec[] }>(role: R): R => {
    const env = sameImage ? [] : imageVariable(role.image ?? spec.image);
    return env.length === 0 ? role : { ...role, env: [...env, ...role.env ?? []] };
  };
  return {
    ...spec,
    ...(spec.roles && { roles: spec.roles.map(ofRole) }),
    ...(spec.helpers && { helpers: spec.helpers.map(ofRole) }),
    ...(spec.hooks && { hooks: Object.fromEntries(hooks.map(([name, hook]) => [name, ofRole(hook)])) }),
    env: [...identityVariables(spec, identity), ...(sameImage ? imageVariable(spec.image) : []), ...further, ...spec.env ?? []],
    template: {
      ...spec.template,
      metadata: { ...spec.template?.metadata, labels: { ...spec.template?.metadata?.labels, ...podLabels(spec, identity, sameImage) } },
    },
  };
}

/** Labels of the job's own object. */
export function runLabels(spec: TrainingJobSpec, { id, parent, specDigest, codeDigest }: RunIdentity): { [label: string]: string } {
  return {
    [RUN_LABEL]: id,
    ...(parent !== undefined && { [PARENT_RUN_LABEL]: parent }),
    [SPEC_DIGEST_LABEL]: digits(specDigest),
    ...(codeDigest !== undefined && { [CODE_DIGEST_LABEL]: digits(codeDigest) }),
    ...imageLabel(spec.image),
  };
}

/** Pods of trials and copies belong to runs whose ids no template can say: what they have in common is their parent. */
function podLabels(spec: TrainingJobSpec, identity: RunIdentity, sameImage: boolean): { [label: string]: string } {
  const { [RUN_LABEL]: id, ...labels } = runLabels(spec, identity);
  if (!sameImage) {
    delete labels[IMAGE_DIGEST_LABEL];
  }
  return hasRunsOfItsOwn(spec) ? { ...labels, [PARENT_RUN_LABEL]: id } : { [RUN_LABEL]: id, ...labels };
}

function identityVariables(spec: TrainingJobSpec, { id, ownId, parent, specDigest, codeDigest }: RunIdentity): EnvVarSpec[] {
  const above = hasRunsOfItsOwn(spec) ? id : parent;
  return [
    { name: RUN_VARIABLES.id, value: ownId },
    ...(above === undefined ? [] : [{ name: RUN_VARIABLES.parent, value: above }]),
    { name: RUN_VARIABLES.spec, value: specDigest },
    ...(codeDigest === undefined ? [] : [{ name: RUN_VARIABLES.code, value: codeDigest }]),
  ];
}

function imageVariable(image: string): EnvVarSpec[] {
  const digest = imageDigest(image);
  return digest === undefined ? [] : [{ name: RUN_VARIABLES.image, value: digest }];
}

function imageLabel(image: string): { [label: string]: string } {
  const digest = imageDigest(image);
  return digest === undefined ? {} : { [IMAGE_DIGEST_LABEL]: digits(digest) };
}

/** An image that is given by a tag can be another one tomorrow, and has no digest at synth. */
function imageDigest(image: string): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
}

function digits(digest: string): string {
  return digest.replace('sha256:', '').slice(0, LABEL_DIGITS);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
  }
  return value;
}
