/** What the engines that give no environment of their own have in common: they start pods, count how these end, and look at nothing in between. */
import { each, no, partly, type Partly, type Support } from '../capabilities';
import { frameworkContract } from '../../../model/frameworks/registry';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';
import type { HelperSpec } from '../../../model/training-job/replicas/role-specs';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { FrameworkName, TrainingJobSpec } from '../../../model/training-job/spec';

const OF_ONE_SIZE = no('cannot change the number of replicas of a running job');
const LOST_NODES = no('leaves pods on lost nodes to Kubernetes');
const SUSPECT_NODES = no('does not remember on which nodes a job has failed');
const STALLS = no('does not track the progress of a job');

/** What an engine says of hooks that cannot run any. */
export function noHooks(reason: string) {
  return each(no(reason), 'hooks.before', 'hooks.after', 'hooks.onExit');
}

/** What engines say that run a job as one object and count no copies of it. */
export const NO_ARRAYS = no('runs one job and no arrays: it cannot count copies or start them one after the other');

/** What engines say of helpers that have a template for each role, and end a job with any pod that fails for good. */
export const HELPERS_THAT_COUNT = partly('onFailure Restart and Fail', (value) => ((value as readonly HelperSpec[]).some(({ onFailure }) => onFailure === 'Ignore')
  ? 'cannot continue after a helper fails (onFailure: Ignore)' : undefined));

/** Fields that every engine has, some of them with a limit of its own. */
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

/** Fields of which all three say the same. */
export const COMMON_FIELDS = {
  ...BASIC_FIELDS,
  'runPolicy.restartInPlace': partly('false only', (value) => (value === true ? 'starts new pods and never restarts a container in place' : undefined)),
  'runPolicy.startTimeoutSeconds': no('waits forever for a pod that cannot start'),
  'runPolicy.preRunningDeadlineSeconds': no('waits without limit for its pods to run'),
  ...each(
    LOST_NODES,
    'runPolicy.nodeLoss.graceSeconds', 'runPolicy.nodeLoss.leaseGraceSeconds', 'runPolicy.nodeLoss.stuckPods',
    'runPolicy.nodeLoss.forceDeleteAfterSeconds',
  ),
  ...each(SUSPECT_NODES, 'runPolicy.nodeAvoidance.afterFailures', 'runPolicy.nodeAvoidance.forSeconds'),
  'runPolicy.cleanPodPolicy': partly('Running only', (value) => (value === 'Running' ? undefined : 'only removes pods that are still running')),
  ...each(STALLS, 'runPolicy.stall.timeoutSeconds', 'runPolicy.stall.action'),
  ...each(OF_ONE_SIZE, 'elastic.minReplicas', 'elastic.maxReplicas', 'elastic.maxRestarts'),
  'autoTuning': no('runs one job and has no hyperparameter search'),
  'array': NO_ARRAYS,
  'helpers': no('creates all its pods from one template, and helpers differ from the training pods'),
  'preflight': withLess('treats a failed check as a failure of the replica'),
  'debug': withLess('stacks are dumped when a pod is deleted, but they are not kept'),
  'idle': no('does not monitor the utilization of accelerators'),
} satisfies { readonly [P in FieldPath]?: Support };

/** What kinds that Kueue knows say of queues. */
export const KUEUE_FIELDS = {
  'scheduling.queueName': true,
  'scheduling.queuePriorityClassName': true,
  'scheduling.queueMode': partly('Workload only', (value) => (value === 'Workload' ? undefined : 'is queued as a whole and not as a group of pods')),
  'suspend': partly('not in a queue', (value, { scheduling }) => (value === true && scheduling?.queueName !== undefined
    ? 'is suspended and resumed by Kueue while it is in a queue' : undefined)),
} satisfies { readonly [P in FieldPath]?: Support };

/** What kinds say whose controller makes no groups of its own: a group stands beside the job. */
export const GANG_FIELDS = {
  'scheduling.gang.scheduler': partly('Coscheduling, Volcano', (value) => (value === 'Coscheduling' || value === 'Volcano'
    ? undefined : 'supports gangs only with Coscheduling and Volcano')),
  'scheduling.gang.queue': true,
  'scheduling.gang.minAvailable': true,
  'scheduling.gang.scheduleTimeoutSeconds': partly('Coscheduling', (_value, { scheduling }) => (scheduling?.gang?.scheduler === 'Coscheduling'
    ? undefined : 'never releases a partially placed gang')),
} satisfies { readonly [P in FieldPath]?: Support };

/** A controller that is not the default one has to be a domain and a path. */
export const MANAGED_BY_FIELD = partly('a domain and a path', (value) => (/^[a-z0-9.-]+\/[A-Za-z0-9/._-]+$/.test(String(value)) && String(value).length <= 63
  ? undefined : 'requires the name of a controller as a domain and a path of at most 63 characters, such as kueue.x-k8s.io/multikueue'));

/** Whether replicas have to start together and there are several. */
export function isGang(spec: TrainingJobSpec): boolean {
  const replicas = spec.roles?.reduce((sum, role) => sum + (role.replicas ?? 1), 0) ?? resolveTrainingJob('job', spec).replicas.length;
  return frameworkContract(spec.framework).restartScope === 'gang' && replicas > 1;
}

/** How people write a framework. */
export function titleOf(framework: FrameworkName): string {
  return frameworkContract(framework).title;
}

/** Supported, with a limit that no value goes beyond. */
function withLess(limit: string): Partly {
  return partly(limit, () => undefined);
}
