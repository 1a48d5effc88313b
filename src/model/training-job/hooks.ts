/** `spec.hooks`: pods that run once before a job's replicas, after they have succeeded, or when the job has ended either way. */
import type { ResolvedTrainingJob } from '../frameworks/contract';
import * as field from './schema/field';
import { command, environment, resources } from './schema/pod-fields';

/** The hooks of a job, in the order in which they run. */
export const HOOK_NAMES = ['before', 'after', 'onExit'] as const;

/** One of {@link HOOK_NAMES}. */
export type HookName = (typeof HOOK_NAMES)[number];

export const HOOK_CONTAINER = 'hook';

/** Value of the label `role` on pods of hooks. */
export const HOOK_ROLE = 'hook';

/** Seconds that a hook may take, unless the job says otherwise. */
const HOOK_TIMEOUT_SECONDS = 3600;

const NO_DEVICES = 'has no GPUs, TPUs or other devices: a hook runs outside of the job\'s gang and of its quota in a queue. Remove them, or run that step as a job';

const FIELDS = {
  image: field.image('Image of its container.', { otherwise: 'the job\'s' }),
  command: field.list('Entry point of its container.', field.text('One word.'), { minItems: 1, maxItems: 4096, required: 'what the hook runs, such as ["python", "prepare.py"].' }),
  args: command('Arguments of the entry point.', { otherwise: 'none' }),
  env: environment('Added to the job\'s environment; for a name in both, the hook\'s value is used.', {
    otherwise: 'the job\'s alone', type: '{ readonly [name: string]: EnvValue }',
  }),
  resources: resources('Compute of its pod: cpu, memory and ephemeralStorage. A hook gets no devices.', { otherwise: 'none requested', type: 'TrainingResources' }),
  timeoutSeconds: field.seconds('How long the hook may take, all of its tries together. The time in which the job is suspended is not counted.', {
    minimum: 1, maximum: 604_800, default: HOOK_TIMEOUT_SECONDS,
  }),
  backoffLimit: field.integer('How often it is tried again after a failure. Pods that the cluster removes are replaced and not counted.', { maximum: 10, default: 0 }),
};

const hook = (sentence: string) => field.block('a hook', sentence, FIELDS, {
  struct: 'JobHook',
  otherwise: 'none',
  rules: [{
    rule: '!has(self.resources) || !((has(self.resources.gpu) && self.resources.gpu > 0) || (has(self.resources.tpu) && self.resources.tpu > 0) '
      + '|| (has(self.resources.extended) && size(self.resources.extended) > 0))',
    message: NO_DEVICES,
    fieldPath: '.resources',
  }],
});

/** One hook, for the interface that all of them share. */
export const HOOK = hook('A pod that runs once, before the replicas of a job or after them.');

/** `spec.hooks`. */
export const HOOKS = field.block('hooks', 'Pods that run before the replicas of the job, and after them.', {
  before: hook('Runs before the first replica is created: once for the job, not for each attempt. If it fails, the job fails.'),
  after: hook('Runs when the replicas have succeeded, before the job is reported as succeeded. If it fails, the job fails.'),
  onExit: hook('Runs when the job has succeeded or failed. If it fails, the outcome of the job stays the same.'),
}, { struct: 'JobHooks', fixed: true, otherwise: 'none' });

export type HooksSpec = field.ValueOf<typeof HOOKS>;

export type HookSpec = field.ValueOf<typeof HOOK>;

export function hookTimeoutSeconds({ timeoutSeconds = HOOK_TIMEOUT_SECONDS }: HookSpec): number {
  return timeoutSeconds;
}

/** The part of a pod's or a role's name that belongs to a hook. */
export function hookSuffix(name: HookName): string {
  return `hook-${name === 'onExit' ? 'on-exit' : name}`;
}

/** Name of a hook's pod. @param tries how many of its tries have failed before */
export function hookPodName({ name: job }: Pick<ResolvedTrainingJob, 'name'>, name: HookName, tries: number): string {
  return `${job}-${hookSuffix(name)}-${tries}`;
}

/** What a hook asks for that it cannot have; undefined when there is nothing. */
export function hookDevicesProblem({ resources: { gpu = 0, tpu = 0, extended = {} } = {} }: HookSpec): string | undefined {
  return gpu > 0 || tpu > 0 || Object.keys(extended).length > 0 ? `${NO_DEVICES}.` : undefined;
}
