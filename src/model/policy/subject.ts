/**
 * What a policy looks at in an object: the same for every kind that has pods. `manifests/policy` asks the API server for the same things in CEL, in
 * the same order; a test holds the two against each other.
 */
import { frameworkContracts } from '../frameworks/registry';
import { record, records, type JsonRecord } from '../json-parts';
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../kueue-names';
import { API_GROUP, TRAINING_JOB_KIND } from '../labels';
import { amountOf } from '../queues/capacity';
import { hostAccessOf, serviceAccountsOf, type HostAccess } from './host-access';
import { workloadKindOf } from '../kinds/registry';
import { UNLIMITED_PODS, numberOf, orNull, type Queued } from '../kinds/pod-sets';
import { POLICY_GPU } from './spec';
import { HOOK_NAMES } from '../training-job/hooks';

/** What a policy looks at. What is undefined does not exist for the kind, and no rule is about it. */
export interface PolicySubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [label: string]: string };
  readonly images: readonly string[];
  readonly priorityClasses: readonly string[];
  readonly hostAccess: readonly HostAccess[];
  readonly serviceAccounts: readonly string[];
  /** `null`: Kueue takes the kind, and the object names no queue. */
  readonly queue?: string | null;
  /** Whether it has to name one where a policy has queues. */
  readonly mustQueue?: boolean;
  readonly queuePriorityClass?: string;
  readonly replicas?: number;
  readonly gpus?: number;
  /** Whether pods ask for devices by claims, which say neither which nor how many. */
  readonly claims?: boolean;
  /** `null`: the kind has one, and the object has not. */
  readonly deadlineSeconds?: number | null;
}

/** A kind with one pod template at `spec.template`. */
interface TemplateKind {
  /** Field of the spec that says how many pods there are. @default - one */
  readonly count?: string;
  /** Kueue knows only the pods of the kind, one by one, so that the labels are those of its template. */
  readonly queuedByPod?: boolean;
  /** Whether it has a pod on each node: the object does not say how many. */
  readonly isPerNode?: boolean;
  readonly hasDeadline?: boolean;
}

const TEMPLATE_KINDS: { readonly [kind: string]: TemplateKind } = {
  'apps/v1 Deployment': { count: 'replicas' },
  'apps/v1 StatefulSet': { count: 'replicas' },
  'apps/v1 ReplicaSet': { count: 'replicas', queuedByPod: true },
  'apps/v1 DaemonSet': { queuedByPod: true, isPerNode: true },
  'batch/v1 Job': { count: 'parallelism', hasDeadline: true },
};

/** Roles that do not get the job's devices, as `FRAMEWORK/ROLE`. */
export const ROLES_WITHOUT_DEVICES: readonly string[] = frameworkContracts()
  .flatMap(({ name, roles }) => roles.filter(({ devices = true }) => !devices).map((role) => `${name}/${role.name}`));

/** Frameworks whose short form has a replica more than it says: a launcher. */
export const FRAMEWORKS_WITH_LAUNCHER: readonly string[] = frameworkContracts()
  .filter((framework) => framework.shortForm(1).reduce((sum, { replicas }) => sum + replicas, 0) > 1).map(({ name }) => name);

/** What a policy looks at in an object; undefined where it has no pods. */
export function policySubject(object: unknown): PolicySubject | undefined {
  const { apiVersion, kind, metadata, spec } = record(object);
  const { name, namespace, labels } = record(metadata);
  const subject = {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    namespace: namespace as string | undefined,
    labels: record(labels) as { readonly [label: string]: string },
  };
  const seen = ofOtherSystem(subject, record(spec)) ?? seenIn(`${subject.apiVersion} ${subject.kind}`, record(spec), record(metadata));
  return seen === undefined ? undefined : { ...subject, ...seen };
}

type Seen = Omit<PolicySubject, 'apiVersion' | 'kind' | 'name' | 'namespace' | 'labels'>;

function seenIn(kind: string, spec: JsonRecord, metadata: JsonRecord): Seen | undefined {
  if (kind.startsWith(`${API_GROUP}/`) && kind.endsWith(` ${TRAINING_JOB_KIND}`)) {
    return trainingJob(spec);
  }
  if (kind === 'autoscaling/v1 Scale') {
    return { ...pods([]), replicas: numberOf(spec.replicas, 0) };
  }
  if (kind === 'v1 Pod') {
    const seen = { ...pods([spec]), replicas: 1, gpus: podGpus(spec), deadlineSeconds: orNull(spec.activeDeadlineSeconds) };
    return { ...seen, ...queueOf(metadata, 'WithDevices', seen) };
  }
  if (Object.hasOwn(TEMPLATE_KINDS, kind)) {
    const { count, queuedByPod = false, isPerNode = false, hasDeadline = false } = TEMPLATE_KINDS[kind];
    const template = record(spec.template);
    const pod = record(template.spec);
    const replicas = count === undefined ? 1 : numberOf(spec[count], 1);
    const seen = { ...pods([pod]), replicas, gpus: (isPerNode ? UNLIMITED_PODS : replicas) * podGpus(pod) };
    return { ...seen, ...queueOf(queuedByPod ? record(template.metadata) : metadata, 'WithDevices', seen), ...(hasDeadline && { deadlineSeconds: orNull(spec.activeDeadlineSeconds) }) };
  }
  if (kind === 'batch/v1 CronJob') {
    // Kueue takes the jobs that it makes.
    const { metadata: ofJobs, spec: job } = record(spec.jobTemplate);
    return seenIn('batch/v1 Job', record(job), record(ofJobs));
  }
  const found = podSpecsIn(spec);
  return found.length === 0 ? undefined : pods(found);
}

/** Jobs of other systems that say how large they are. Pods that they have besides (a submitter, patches of a runtime) are seen, and not counted. */
function ofOtherSystem({ apiVersion, kind, labels }: Pick<PolicySubject, 'apiVersion' | 'kind' | 'labels'>, spec: JsonRecord): Seen | undefined {
  const known = workloadKindOf({ apiVersion, kind });
  const job = known?.policy && known.pods?.(spec);
  if (job === undefined) {
    return undefined;
  }
  const { sets, deadlineSeconds, priorityClass, queued } = job;
  const seen = pods([...(sets ?? []).map(({ pod }) => pod), ...podSpecsIn(spec)]);
  const size = sets && {
    // Definitions accept negative numbers, which would make room for others in a sum.
    replicas: sets.reduce((sum, { count }) => sum + Math.max(0, count), 0),
    gpus: sets.reduce((sum, { count, pod }) => sum + Math.max(0, count) * podGpus(pod), 0),
  };
  return {
    ...seen,
    images: [...new Set(seen.images)],
    priorityClasses: [...new Set([...priorityClass === undefined ? [] : [priorityClass], ...seen.priorityClasses])],
    ...size,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(queued !== undefined && queueOf({ labels }, queued, { ...seen, ...size })),
  };
}

/** What the labels say by which Kueue takes an object. */
function queueOf({ labels }: JsonRecord, queued: Queued, { gpus = 0, claims = false }: Pick<Seen, 'gpus' | 'claims'>): Pick<Seen, 'queue' | 'queuePriorityClass' | 'mustQueue'> {
  const { [QUEUE_NAME_LABEL]: queue = null, [PRIORITY_CLASS_LABEL]: priority } = record(labels) as { readonly [label: string]: string | undefined };
  return { queue, queuePriorityClass: priority, mustQueue: queued === 'Always' || gpus > 0 || claims };
}

function trainingJob(spec: JsonRecord): Seen {
  const roles = records(spec.roles);
  const helpers = records(spec.helpers);
  const scheduling = record(spec.scheduling);
  const podTemplates = [spec, ...roles, ...helpers].map(({ template }) => record(template));
  const templates = podTemplates.map((template) => record(template.spec));
  const hooks = HOOK_NAMES.map((name) => record(record(spec.hooks)[name]));
  const parts = [...hooks, ...roles, ...helpers];
  const named = [spec.image, record(spec.preflight).image, record(spec.code).fetchImage, ...parts.map(({ image }) => image)];
  const replicas = ofAll(roles, helpers, (part) => numberOf(part.replicas, 1))
    + (spec.roles === undefined ? shortReplicas(spec) + launcher(spec) : 0);
  const ofTemplate = templateGpus(spec);
  const ofPart = (part: JsonRecord) => gpusOf(part, spec, !helpers.includes(part)) + ofTemplate + templateGpus(part);
  const gpus = ofAll(roles, helpers, (part) => numberOf(part.replicas, 1) * ofPart(part))
    + (spec.roles === undefined
      ? shortReplicas(spec) * (resourcesGpus(spec) + ofTemplate) + launcher(spec) * ofTemplate : 0);
  const priority = [scheduling.priorityClassName, ...templates.map(({ priorityClassName }) => priorityClassName)].filter(isText);
  return {
    images: [...named.filter(isText), ...templates.flatMap(imagesOf)],
    priorityClasses: priority,
    hostAccess: hostAccessOf(templates, podTemplates.map(({ metadata }) => record(record(metadata).annotations))),
    serviceAccounts: serviceAccountsOf(templates),
    queue: isText(scheduling.queueName) ? scheduling.queueName : null,
    mustQueue: true,
    queuePriorityClass: scheduling.queuePriorityClassName as string | undefined,
    replicas: replicas * copies(spec),
    gpus: gpus * copies(spec),
    claims: templates.some(hasClaims),
    deadlineSeconds: orNull(record(spec.runPolicy).activeDeadlineSeconds),
  };
}

function ofAll(roles: readonly JsonRecord[], helpers: readonly JsonRecord[], count: (part: JsonRecord) => number): number {
  return [...roles, ...helpers].reduce((sum, part) => sum + count(part), 0);
}

function shortReplicas({ replicas, elastic }: JsonRecord): number {
  return numberOf(record(elastic).maxReplicas, numberOf(replicas, 1));
}

function launcher({ framework }: JsonRecord): number {
  return FRAMEWORKS_WITH_LAUNCHER.includes(String(framework)) ? 1 : 0;
}

/** A role's own resources take the place of the job's; helpers have only their own. */
function gpusOf({ name, resources }: JsonRecord, job: JsonRecord, inherits: boolean): number {
  if (resources !== undefined) {
    return resourcesGpus({ resources });
  }
  return inherits && !ROLES_WITHOUT_DEVICES.includes(`${job.framework}/${name}`) ? resourcesGpus(job) : 0;
}

/** GPUs that `resources` asks for, under any resource name. */
function resourcesGpus({ resources }: JsonRecord): number {
  const { gpu, tpu, extended } = record(resources);
  return numberOf(gpu, 0) + numberOf(tpu, 0) + amountsGpus(extended);
}

/** Copies of an array, or trials of a search, that run at a time. */
function copies({ array, autoTuning }: JsonRecord): number {
  const { count, parallelism } = record(array);
  const { enabled = true, parallelTrials } = record(autoTuning);
  const ofArray = array === undefined ? 1 : Math.min(numberOf(count, 1), numberOf(parallelism, numberOf(count, 1)));
  return ofArray * (autoTuning === undefined || enabled === false ? 1 : numberOf(parallelTrials, 1));
}

function pods(specs: readonly JsonRecord[]): Seen {
  return {
    images: specs.flatMap(imagesOf),
    priorityClasses: specs.map(({ priorityClassName }) => priorityClassName).filter(isText),
    hostAccess: hostAccessOf(specs),
    serviceAccounts: serviceAccountsOf(specs),
    claims: specs.some(hasClaims),
  };
}

function hasClaims({ resourceClaims }: JsonRecord): boolean {
  return records(resourceClaims).length > 0;
}

/** Images of containers, and those that are mounted as volumes. */
function imagesOf(pod: JsonRecord): string[] {
  return [
    ...['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) => records(pod[field]).map(({ image }) => image)),
    ...records(pod.volumes).map(({ image }) => record(image).reference),
  ].filter(isText);
}

/** As the scheduler counts: init containers run one by one before the others, but for those that stay next to them. */
function podGpus({ containers, initContainers }: JsonRecord): number {
  const sum = (list: readonly JsonRecord[]) => list.reduce((gpus, container) => gpus + containerGpus(container), 0);
  const stays = ({ restartPolicy }: JsonRecord) => restartPolicy === 'Always';
  const inits = records(initContainers);
  return sum(inits.filter(stays)) + Math.max(sum(records(containers)), ...inits.filter((container) => !stays(container)).map(containerGpus));
}

function containerGpus({ resources }: JsonRecord): number {
  return amountsGpus(record(resources).limits);
}

function amountsGpus(amounts: unknown): number {
  return Object.entries(record(amounts)).filter(([resource]) => POLICY_GPU.test(resource))
    .reduce((gpus, [, quantity]) => gpus + amountOf(String(quantity)), 0);
}

/** What the template of a job, a role or a helper asks for in addition to `resources`. */
function templateGpus({ template }: JsonRecord): number {
  return podGpus(record(record(template).spec));
}

/** Pod specs anywhere in an object of another kind: what has a list of containers with images. */
function podSpecsIn(value: unknown): JsonRecord[] {
  if (Array.isArray(value)) {
    return value.flatMap(podSpecsIn);
  }
  const fields = record(value);
  const isPod = records(fields.containers).some(({ image }) => image !== undefined);
  return isPod ? [fields] : Object.values(fields).flatMap((field) => (typeof field === 'object' && field !== null ? podSpecsIn(field) : []));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
