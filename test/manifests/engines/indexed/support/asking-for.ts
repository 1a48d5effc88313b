/** Jobs that ask for one thing that an engine may lack, and what is said to them. */
import type { EngineDefinition } from '../../../../../src/manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../../../../src/manifests/engines/operator';
import { validateForEngine } from '../../../../../src/manifests/engines/validation';
import { FIELD_PATHS } from '../../../../../src/model/training-job/fields/field-paths';
import type { FieldPath } from '../../../../../src/model/training-job/fields/field-paths';
import { FRAMEWORK_NAMES, type FrameworkName, type RoleSpec, type TrainingJobSpec } from '../../../../../src/model/training-job/spec';

/** A job that every engine runs. */
export const PLAIN_JOB: TrainingJobSpec = { framework: 'jax', image: 'image', replicas: 2, command: ['train'] };

/** Replicas whose failures are nobody else's. */
const INDEPENDENT: Partial<TrainingJobSpec> = { framework: 'plain' };

const HOOK = { command: ['x'] };

/** Two roles, the second of which has something of its own. */
function roles(own: Partial<RoleSpec>): Partial<TrainingJobSpec> {
  return { framework: 'plain', replicas: undefined, roles: [{ name: 'actor' }, { name: 'learner', ...own }] };
}

/**
 * For each field that an engine may lack a job that asks for it and for little else; several where engines have it within limits, told apart by words
 * behind the field.
 */
export const ASKING_FOR = {
  'roles[].image': roles({ image: 'other' }),
  'roles[].command': roles({ command: ['other'] }),
  'roles[].args': roles({ args: ['--other'] }),
  'roles[].resources': roles({ resources: { cpu: '1' } }),
  'roles[].template': roles({ template: { metadata: { labels: { a: 'b' } } } }),
  'roles[].restartPolicy': roles({ restartPolicy: 'OnFailure' }),
  'roles[].restartPolicy Always': { ...roles({ restartPolicy: 'Always' }), runPolicy: { successPolicy: 'Coordinator' } },
  'runPolicy.restartPolicy OnFailure': { runPolicy: { restartPolicy: 'OnFailure' } },
  'runPolicy.restartPolicy ExitCode': { ...INDEPENDENT, runPolicy: { restartPolicy: 'ExitCode' } },
  'runPolicy.restartPolicy Always': {
    ...INDEPENDENT, replicas: undefined, roles: [{ name: 'actor', restartPolicy: 'Never' }, { name: 'learner' }],
    runPolicy: { restartPolicy: 'Always', successPolicy: 'Coordinator' },
  },
  'runPolicy.backoff.initialSeconds': { runPolicy: { backoff: { initialSeconds: 1 } } },
  'runPolicy.backoff.maxSeconds': { runPolicy: { backoff: { maxSeconds: 60 } } },
  'runPolicy.backoff.resetAfterSeconds': { runPolicy: { backoff: { resetAfterSeconds: 60 } } },
  'runPolicy.exitCodes.recover': { runPolicy: { exitCodes: { recover: [3] } } },
  'runPolicy.exitCodes.retry': { runPolicy: { exitCodes: { retry: [3] } } },
  'runPolicy.restartInPlace': { ...INDEPENDENT, runPolicy: { restartPolicy: 'OnFailure', restartInPlace: true } },
  'runPolicy.preRunningDeadlineSeconds': { runPolicy: { preRunningDeadlineSeconds: 600 } },
  'runPolicy.startTimeoutSeconds': { runPolicy: { startTimeoutSeconds: 10 } },
  'runPolicy.nodeLoss.graceSeconds': { runPolicy: { nodeLoss: { graceSeconds: 5 } } },
  'runPolicy.nodeLoss.leaseGraceSeconds': { runPolicy: { nodeLoss: { leaseGraceSeconds: 30 } } },
  'runPolicy.nodeLoss.stuckPods': { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } },
  'runPolicy.nodeLoss.forceDeleteAfterSeconds': { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 5 } } },
  'runPolicy.nodeAvoidance.afterFailures': { runPolicy: { nodeAvoidance: { afterFailures: 1 } } },
  'runPolicy.nodeAvoidance.forSeconds': { runPolicy: { nodeAvoidance: { forSeconds: 60 } } },
  'runPolicy.disruptionLimit': { runPolicy: { disruptionLimit: 3 } },
  'runPolicy.disruptionLimit beside retries': { runPolicy: { disruptionLimit: 3, restartPolicy: 'OnFailure' } },
  'runPolicy.disruptionLimit of independent replicas': { ...INDEPENDENT, runPolicy: { disruptionLimit: 3 } },
  'runPolicy.activeDeadlineSeconds': { runPolicy: { activeDeadlineSeconds: 60 } },
  'runPolicy.cleanPodPolicy': { runPolicy: { cleanPodPolicy: 'None' } },
  'runPolicy.successPolicy': { runPolicy: { successPolicy: 'Coordinator' } },
  'runPolicy.stall.timeoutSeconds': { runPolicy: { stall: { timeoutSeconds: 60 } } },
  'runPolicy.stall.action': { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } },
  'scheduling.queueName': { scheduling: { queueName: 'team' } },
  'scheduling.queuePriorityClassName': { scheduling: { queueName: 'team', queuePriorityClassName: 'high' } },
  'scheduling.queueMode': { scheduling: { queueName: 'team', queueMode: 'PodGroup' } },
  'scheduling.gang.scheduler': { scheduling: { gang: { scheduler: 'Kai' } } },
  'scheduling.gang.scheduleTimeoutSeconds': { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 5 } } },
  'elastic.minReplicas': { framework: 'pytorch', elastic: { minReplicas: 1, maxReplicas: 4 } },
  'elastic.maxReplicas': { framework: 'pytorch', elastic: { minReplicas: 1, maxReplicas: 4 } },
  'elastic.maxRestarts': { framework: 'pytorch', elastic: { minReplicas: 1, maxReplicas: 4, maxRestarts: 3 } },
  'autoTuning': { autoTuning: { objective: 'accuracy', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } },
  'array': { array: { count: 4 } },
  'array in a gang': { replicas: 1, array: { count: 4 }, scheduling: { gang: { scheduler: 'Volcano' } } },
  'array that keeps few jobs': { replicas: 1, array: { count: 4, keepJobs: 5 } },
  'helpers': { helpers: [{ name: 'evaluator', image: 'other' }] },
  'hooks.before': { hooks: { before: HOOK } },
  'hooks.before in a queue': { hooks: { before: HOOK }, scheduling: { queueName: 'team' } },
  'hooks.after': { hooks: { after: HOOK } },
  'hooks.after in a queue': { hooks: { after: HOOK }, scheduling: { queueName: 'team' } },
  'hooks.after of the coordinator': { hooks: { after: HOOK }, runPolicy: { successPolicy: 'Coordinator' } },
  'hooks.after beside parameter servers': { framework: 'tensorflow', replicas: undefined, roles: [{ name: 'ps' }, { name: 'worker' }], hooks: { after: HOOK } },
  'hooks.after beside helpers': { helpers: [{ name: 'evaluator', image: 'other' }], hooks: { after: HOOK } },
  'hooks.onExit': { hooks: { onExit: HOOK } },
  'helpers that are ignored': { helpers: [{ name: 'evaluator', image: 'other', onFailure: 'Ignore' }] },
  'idle': { resources: { gpu: 1 }, idle: { belowPercent: 5, forSeconds: 600 } },
  'suspend': { suspend: true },
  'suspend in a queue': { suspend: true, scheduling: { queueName: 'team' } },
  'managedBy': { managedBy: 'somebody' },
} satisfies { readonly [key: string]: Partial<TrainingJobSpec> };

/** A key of {@link ASKING_FOR}. */
export type Asking = keyof typeof ASKING_FOR;

/** What is said for the field of a key to its job; undefined when nothing is. */
export function refusal(engine: EngineDefinition, key: Asking): string | undefined {
  const spec: TrainingJobSpec = { ...PLAIN_JOB, ...ASKING_FOR[key] };
  const field = fieldOf(key);
  const paths = [`spec.${field}`, `spec.${field.replaceAll('[]', '[1]')}`];
  return validateForEngine(engine, 'net', spec, [OPERATOR_ENGINE]).find(({ path }) => paths.includes(path))?.message;
}

/** The field that a key is about. */
export function fieldOf(key: string): string {
  return key.split(' ')[0];
}

/** Fields of which the engine says that it lacks them, or has them within limits. */
export function limitedFields({ capabilities: { fields } }: EngineDefinition): FieldPath[] {
  return FIELD_PATHS.filter((field) => fields[field] !== true);
}

/** What is said to a job of a framework; undefined when it is right. */
export function frameworkRefusal(engine: EngineDefinition, framework: FrameworkName): string | undefined {
  return validateForEngine(engine, 'net', { ...PLAIN_JOB, framework }, [OPERATOR_ENGINE]).find(({ path }) => path === 'spec.framework')?.message;
}

/** Frameworks of which the engine says that it lacks them, or has them within limits. */
export function limitedFrameworks({ capabilities: { frameworks } }: EngineDefinition): FrameworkName[] {
  return FRAMEWORK_NAMES.filter((name) => frameworks[name] !== true);
}
