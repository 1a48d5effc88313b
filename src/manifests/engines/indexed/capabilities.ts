/** Answers that engines share. Most of them start pods, count how these end, and observe nothing in between. */
import { each, no, partly, type Partly, type Support } from '../capabilities';
import { isSame } from './fold-pods';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { frameworkContract } from '../../../model/frameworks/registry';
import { MULTI_KUEUE_CONTROLLER } from '../../../model/kueue-names';
import { OPERATOR_NAME } from '../../../model/labels';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';
import type { HelperSpec } from '../../../model/training-job/replicas/role-specs';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

const OF_ONE_SIZE = no('cannot change the number of replicas of a running job');
const SUSPECT_NODES = no('does not remember on which nodes a job has failed');
const STALLS = no('does not track the progress of a job');

/** The answer for hooks of an engine that cannot run any. */
export function noHooks(reason: string) {
  return each(no(reason), 'hooks.before', 'hooks.after', 'hooks.onExit');
}

/** The answer for fields about the pause before a restart. */
export function backoffFields(support: Support) {
  return each(support, 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds', 'runPolicy.backoff.resetAfterSeconds');
}

/** Engines without a pause before a restart. */
export const NO_BACKOFF = backoffFields(no('restarts immediately, without a pause'));

/** Engines that leave pods on lost nodes to Kubernetes. */
export const NO_NODE_LOSS = each(
  no('leaves pods on lost nodes to Kubernetes'),
  'runPolicy.nodeLoss.graceSeconds', 'runPolicy.nodeLoss.leaseGraceSeconds', 'runPolicy.nodeLoss.stuckPods',
  'runPolicy.nodeLoss.forceDeleteAfterSeconds',
);

/** Engines with a template for each role. */
export const ROLE_FIELDS = each(true, 'roles[].image', 'roles[].command', 'roles[].args', 'roles[].resources', 'roles[].template');

/** Restart policies of engines that restart only failed replicas. */
export const NEVER_ALWAYS = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never restarts successful replicas' : undefined));

/** Disruption limit of engines that cannot count disruptions. */
export const DISRUPTION_LIMIT = partly('0 only', (value) => (value === 0 ? undefined : 'does not count disruptions: it allows them all, or with 0 none'));

/** Values of `managedBy` for kinds that MultiKueue supports. */
export const MULTI_KUEUE_FIELD = partly(MULTI_KUEUE_CONTROLLER, (value) => (value === MULTI_KUEUE_CONTROLLER || value === OPERATOR_NAME
  ? undefined : `is managed by itself or by ${MULTI_KUEUE_CONTROLLER}`));

/** MXNet on engines that cannot run its master. */
export function mxnetWithoutMaster(reason: string): Partly {
  return partly('with the roles scheduler, server and worker', (_value, { roles }) => (
    roles === undefined || roles.some(({ name }) => name === 'master') ? reason : undefined));
}

/** A field that must be the same for all roles. @param creates what the engine creates from one template */
export function sameForAll(creates: string, what: string, of: (role: ResolvedRole) => unknown): Partly {
  return partly('the same for all roles', (_value, spec) => {
    const [first, ...others] = resolveTrainingJob('job', spec).roles;
    return others.every((role) => isSame(of(role), of(first))) ? undefined : `creates ${creates} from one template, so roles cannot differ in their ${what}`;
  });
}

/** The answer for arrays of engines that run a job as one object. */
export const NO_ARRAYS = no('runs one job and no arrays: it cannot count copies or start them one after the other');

/** Helpers on engines with a template for each role, where a job fails with any of its pods. */
export const HELPERS_WITHOUT_IGNORE = partly('onFailure Restart and Fail', (value) => ((value as readonly HelperSpec[]).some(({ onFailure }) => onFailure === 'Ignore')
  ? 'cannot continue after a helper fails (onFailure: Ignore)' : undefined));

/** Fields that every engine supports; some engines limit them. */
export const BASIC_FIELDS = each(
  true,
  'framework', 'image', 'replicas', 'roles[].name', 'roles[].replicas', 'roles[].env', 'command', 'args', 'code',
  'workingDir', 'env', 'resources', 'hyperparameters', 'checkpointPath', 'checkpoint.resumeFrom',
  'checkpoint.gracePeriodSeconds', 'checkpoint.claimName', 'checkpoint.subPath', 'checkpoint.keepLast',
  'nprocPerNode', 'port', 'template', 'runPolicy.backoffLimit', 'runPolicy.exitCodes.fail',
  'runPolicy.ttlSecondsAfterFinished', 'scheduling.priorityClassName', 'scheduling.schedulerName',
  'scheduling.topology.key', 'scheduling.topology.mode', 'scheduling.spread.key', 'scheduling.spread.maxSkew',
  'scheduling.spread.mode', 'scheduling.nodeSelector', 'scheduling.tolerations', 'security.restricted',
  'security.runAsUser', 'security.fsGroup', 'security.networkPolicy.enabled',
  'security.networkPolicy.fromNamespaces', 'security.networkPolicy.egress', 'security.networkPolicy.toCidrs', 'init',
);

/** Answers of the engines that only start pods and count how they end. */
export const COMMON_FIELDS = {
  ...BASIC_FIELDS,
  'runPolicy.restartInPlace': partly('false only', (value) => (value === true ? 'starts new pods and never restarts a container in place' : undefined)),
  'runPolicy.startTimeoutSeconds': no('waits forever for a pod that cannot start'),
  'runPolicy.preRunningDeadlineSeconds': no('waits without limit for its pods to run'),
  ...NO_NODE_LOSS,
  ...each(SUSPECT_NODES, 'runPolicy.nodeAvoidance.afterFailures', 'runPolicy.nodeAvoidance.forSeconds'),
  'runPolicy.cleanPodPolicy': partly('Running only', (value) => (value === 'Running' ? undefined : 'only removes pods that are still running')),
  ...each(STALLS, 'runPolicy.stall.timeoutSeconds', 'runPolicy.stall.action'),
  ...each(OF_ONE_SIZE, 'elastic.minReplicas', 'elastic.maxReplicas', 'elastic.maxRestarts'),
  'autoTuning': no('runs one job and has no hyperparameter search'),
  'array': NO_ARRAYS,
  'helpers': no('creates all its pods from one template, and helpers differ from the training pods'),
  'preflight': withLimitation('treats a failed check as a failure of the replica'),
  'debug': withLimitation('stacks are dumped when a pod is deleted, but they are not kept'),
  'idle': no('does not monitor the utilization of accelerators'),
} satisfies { readonly [P in FieldPath]?: Support };

/** Answers for queues of kinds that Kueue supports. */
export const KUEUE_FIELDS = {
  'scheduling.queueName': true,
  'scheduling.queuePriorityClassName': true,
  'scheduling.queueMode': partly('Workload only', (value) => (value === 'Workload' ? undefined : 'is queued as a whole and not as a group of pods')),
  'suspend': partly('not in a queue', (value, { scheduling }) => (value === true && scheduling?.queueName !== undefined
    ? 'is suspended and resumed by Kueue while it is in a queue' : undefined)),
} satisfies { readonly [P in FieldPath]?: Support };

/** Answers for gangs of kinds whose controller creates no groups: Trainyard creates one. */
export const GANG_FIELDS = {
  'scheduling.gang.scheduler': partly('Coscheduling, Volcano', (value) => (value === 'Coscheduling' || value === 'Volcano'
    ? undefined : 'supports gangs only with Coscheduling and Volcano')),
  'scheduling.gang.queue': true,
  'scheduling.gang.minAvailable': true,
  'scheduling.gang.scheduleTimeoutSeconds': partly('Coscheduling', (_value, { scheduling }) => (scheduling?.gang?.scheduler === 'Coscheduling'
    ? undefined : 'never releases a partially placed gang')),
} satisfies { readonly [P in FieldPath]?: Support };

/** Another controller must be a domain and a path. */
export const MANAGED_BY_FIELD = partly('a domain and a path', (value) => (/^[a-z0-9.-]+\/[A-Za-z0-9/._-]+$/.test(String(value)) && String(value).length <= 63
  ? undefined : 'requires the name of a controller as a domain and a path of at most 63 characters, such as kueue.x-k8s.io/multikueue'));

/** Whether a job has several replicas that must start together. */
export function isGang(spec: TrainingJobSpec): boolean {
  const replicas = spec.roles?.reduce((sum, role) => sum + (role.replicas ?? 1), 0) ?? resolveTrainingJob('job', spec).replicas.length;
  return frameworkContract(spec.framework).restartScope === 'gang' && replicas > 1;
}

/** Supported for each value, with a limitation for the matrix. */
export function withLimitation(limit: string): Partly {
  return partly(limit, () => undefined);
}
