/**
 * The data that `model/policy/subject.ts` reads from an object, in CEL: a set of variables for each group of kinds. All values are dynamic, because
 * preserved unknown fields (pod templates of training jobs) have no type.
 * @see https://kubernetes.io/docs/reference/using-api/cel/
 */
import {
  CLAIMS_OF_PODS, IMAGES_OF_POD, PRIORITIES_OF_PODS, WITH_DEVICES, celLiteral, gpusOfAmounts, gpusOfPods, queueLabels, type CelVariable,
} from '../../model/kinds/cel';
import { UNLIMITED_PODS } from '../../model/kinds/pod-sets';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { API_GROUP, API_VERSION, TRAINING_JOB_PLURAL } from '../../model/labels';
import {
  APP_ARMOR_ANNOTATION, APP_ARMOR_UNCONFINED, BASELINE_CAPABILITIES, BASELINE_SELINUX_TYPES, BASELINE_SYSCTLS, CONTAINER_LISTS,
  DEFAULT_SERVICE_ACCOUNT, HOST_ACCESS, KUBELET_ACTIONS, KUBELET_HANDLERS, type HostAccess,
} from '../../model/policy/host-access';
import { FRAMEWORKS_WITH_LAUNCHER, ROLES_WITHOUT_DEVICES } from '../../model/policy/subject';
import { HOOK_NAMES } from '../../model/training-job/hooks';

/** Kinds with the same variables. */
export interface CelTarget {
  /** Suffix of the policy's name. */
  readonly suffix: string;
  readonly apiGroup: string;
  /** @default - v1 */
  readonly apiVersions?: readonly string[];
  readonly resources: readonly string[];
  /**
   * If the kind has them: `podSpecs`, `images`, `priorities`, `replicas`, `gpus`, `claims`, `deadline`, `queue`, `queuePriority`, `mustQueue`.
   * Variables that no rule of a policy uses are omitted from its objects.
   */
  readonly variables: readonly CelVariable[];
}

/**
 * Changes of the scale of any kind, which contain only the number, but no labels and no pods. Our own jobs are already checked at their largest size
 * when they are created.
 */
export const SCALE_TARGET: CelTarget = {
  suffix: 'scale', apiGroup: '*', apiVersions: ['*'], resources: ['*/scale'],
  variables: [
    { name: 'replicas', expression: 'int(dyn(object.spec).?replicas.orValue(0))' },
    { name: 'rises', expression: `request.resource.group != ${celLiteral(API_GROUP)} && variables.replicas > int(dyn(oldObject.spec).?replicas.orValue(0))` },
  ],
};

/** Variables of kinds with identical pods. @param most pods whose GPUs are counted */
function likePods(
  pod: string, replicas: string, { deadline, labels, most = 'variables.replicas' }: { readonly deadline?: string; readonly labels?: string; readonly most?: string } = {},
): CelVariable[] {
  return [
    { name: 'podSpecs', expression: `[dyn(${pod})]` },
    { name: 'images', expression: `variables.podSpecs.map(p, ${IMAGES_OF_POD})` },
    { name: 'priorities', expression: PRIORITIES_OF_PODS },
    { name: 'replicas', expression: replicas },
    { name: 'gpus', expression: `${most} * ${gpusOfPods('variables.podSpecs')}` },
    CLAIMS_OF_PODS,
    ...queueLabels(WITH_DEVICES, labels),
    ...(deadline === undefined ? [] : [{ name: 'deadline', expression: deadline }]),
  ];
}

const COUNT = 'int(p.?replicas.orValue(1))';
const SHORT = 'int(variables.spec.?elastic.?maxReplicas.orValue(variables.spec.?replicas.orValue(1)))';
/** GPUs in `resources` of a job or a part of it, under any name. */
const gpusOfResources = (part: string) => (
  `(int(${part}.?resources.?gpu.orValue(0)) + int(${part}.?resources.?tpu.orValue(0)) + ${gpusOfAmounts(`${part}.?resources.?extended.orValue({})`)})`);
const LAUNCHER = `(variables.spec.framework in ${celLiteral(FRAMEWORKS_WITH_LAUNCHER)} ? 1 : 0)`;
const OF_TEMPLATE = (part: string) => `[${part}.?template.?spec.orValue({})]`;
const ARRAY_COUNT = 'int(variables.spec.?array.?count.orValue(1))';
const ARRAY_COPIES = `[${ARRAY_COUNT}, int(variables.spec.?array.?parallelism.orValue(${ARRAY_COUNT}))].min()`;
const TRIALS = '(has(variables.spec.autoTuning) && variables.spec.autoTuning.?enabled.orValue(true) ? int(variables.spec.autoTuning.?parallelTrials.orValue(1)) : 1)';

/** Variables of training jobs for all of their templates: the job's own, and those of roles and helpers. */
export const TRAINING_JOB_PODS: readonly CelVariable[] = [
  { name: 'spec', expression: 'dyn(object.spec)' },
  { name: 'roles', expression: 'variables.spec.?roles.orValue([])' },
  { name: 'helpers', expression: 'variables.spec.?helpers.orValue([])' },
  { name: 'parts', expression: '[variables.spec] + variables.roles + variables.helpers' },
  { name: 'podSpecs', expression: 'variables.parts.map(p, p.?template.?spec.orValue({}))' },
];

export const TRAINING_JOB_ANNOTATIONS = 'variables.parts.map(p, p.?template.?metadata.?annotations.orValue({}))';

/** A list with the string of a field of the spec, empty if the field is absent. */
const ofSpec = (field: string) => `variables.spec.?${field.replaceAll('.', '.?')}.hasValue() ? [variables.spec.${field}] : []`;

/** Variables of training jobs: the short form and the long one, helpers, templates, arrays and searches. */
const TRAINING_JOB: readonly CelVariable[] = [
  ...TRAINING_JOB_PODS,
  {
    name: 'images',
    expression: `[${['image', 'preflight.image', 'code.fetchImage', ...HOOK_NAMES.map((hook) => `hooks.${hook}.image`)].map(ofSpec).join(', ')}] `
      + `+ (variables.roles + variables.helpers).map(p, has(p.image) ? [p.image] : []) + variables.podSpecs.map(p, ${IMAGES_OF_POD})`,
  },
  {
    name: 'priorities',
    expression: `(variables.spec.?scheduling.?priorityClassName.hasValue() ? [variables.spec.scheduling.priorityClassName] : []) + ${PRIORITIES_OF_PODS}`,
  },
  { name: 'copies', expression: `${ARRAY_COPIES} * ${TRIALS}` },
  {
    name: 'replicas',
    expression: `variables.copies * ((variables.roles + variables.helpers).map(p, ${COUNT}).sum() + (has(variables.spec.roles) ? 0 : ${SHORT} `
      + `+ ${LAUNCHER}))`,
  },
  CLAIMS_OF_PODS,
  { name: 'jobGpus', expression: gpusOfResources('variables.spec') },
  { name: 'templateGpus', expression: gpusOfPods(OF_TEMPLATE('variables.spec')) },
  {
    name: 'gpus',
    expression: `variables.copies * (variables.roles.map(p, ${COUNT} * (variables.templateGpus + ${gpusOfPods(OF_TEMPLATE('p'))} + (has(p.resources) ? ${gpusOfResources('p')} `
      + `: (variables.spec.framework + '/' + p.name in ${celLiteral(ROLES_WITHOUT_DEVICES)} ? 0 : variables.jobGpus)))).sum() `
      + `+ variables.helpers.map(p, ${COUNT} * (variables.templateGpus + ${gpusOfPods(OF_TEMPLATE('p'))} + ${gpusOfResources('p')})).sum() `
      + `+ (has(variables.spec.roles) ? 0 : ${SHORT} * (variables.jobGpus + variables.templateGpus) + ${LAUNCHER} * variables.templateGpus))`,
  },
  { name: 'deadline', expression: 'variables.spec.?runPolicy.?activeDeadlineSeconds' },
  { name: 'queue', expression: 'variables.spec.?scheduling.?queueName' },
  { name: 'queuePriority', expression: 'variables.spec.?scheduling.?queuePriorityClassName' },
  { name: 'mustQueue', expression: 'true' },
];

/** Kinds of other systems. Those with the same target share a policy. */
function foreignTargets(): CelTarget[] {
  const targets = new Map<string, CelTarget>();
  for (const { group, plural, versions, policy } of WORKLOAD_KINDS) {
    if (policy !== undefined) {
      const known = targets.get(policy.target);
      targets.set(policy.target, {
        suffix: policy.target,
        apiGroup: group,
        apiVersions: policy.everyVersion === true ? ['*'] : versions,
        resources: [...known?.resources ?? [], plural],
        variables: policy.cel,
      });
    }
  }
  return [...targets.values()];
}

/** Our own jobs, kinds of Kubernetes itself, and those of other systems. Pods of other kinds are checked as pods when they are created. */
export const CEL_TARGETS: readonly CelTarget[] = [
  { suffix: 'trainingjobs', apiGroup: API_GROUP, apiVersions: [API_VERSION], resources: [TRAINING_JOB_PLURAL], variables: TRAINING_JOB },
  {
    suffix: 'pods', apiGroup: '', resources: ['pods', 'pods/ephemeralcontainers'],
    variables: likePods('object.spec', '1', { deadline: 'dyn(object.spec).?activeDeadlineSeconds' }),
  },
  {
    suffix: 'workloads', apiGroup: 'apps', resources: ['deployments', 'statefulsets', 'replicasets', 'daemonsets'],
    variables: likePods('object.spec.template.spec', 'int(dyn(object.spec).?replicas.orValue(1))', {
      // For the last two, Kueue reads only the labels of pods.
      labels: "(object.kind in ['Deployment', 'StatefulSet'] ? dyn(object.metadata) : dyn(object.spec).?template.?metadata.orValue({}))",
      most: `(object.kind == 'DaemonSet' ? ${UNLIMITED_PODS} : variables.replicas)`,
    }),
  },
  {
    suffix: 'jobs', apiGroup: 'batch', resources: ['jobs'],
    variables: likePods('object.spec.template.spec', 'int(dyn(object.spec).?parallelism.orValue(1))', { deadline: 'dyn(object.spec).?activeDeadlineSeconds' }),
  },
  {
    suffix: 'cronjobs', apiGroup: 'batch', resources: ['cronjobs'],
    variables: likePods(
      'object.spec.jobTemplate.spec.template.spec', 'int(dyn(object.spec).jobTemplate.spec.?parallelism.orValue(1))',
      { deadline: 'dyn(object.spec).jobTemplate.spec.?activeDeadlineSeconds', labels: 'dyn(object.spec).jobTemplate.?metadata.orValue({})' },
    ),
  },
  ...foreignTargets(),
];

const PODS = 'variables.podSpecs';

const ALL_CONTAINERS = CONTAINER_LISTS.map((list) => `p.?${list}.orValue([])`).join(' + ');

const ofPod = (field: string) => `${PODS}.exists(p, p.?${field}.orValue(false) == true)`;

/** Whether any security context of a pod or container meets a condition. A pod template can contain null. */
const ofContext = (condition: string) => `variables.securityContexts.exists(l, l.exists(s, s != null && (${condition})))`;

const EXPRESSIONS: { readonly [access in HostAccess]: string } = {
  'hostNetwork': ofPod('hostNetwork'),
  'hostPID': ofPod('hostPID'),
  'hostIPC': ofPod('hostIPC'),
  'hostPath': `${PODS}.exists(p, p.?volumes.orValue([]).exists(v, has(v.hostPath)))`,
  'hostPort': `${PODS}.exists(p, (${ALL_CONTAINERS}).exists(c, c.?ports.orValue([]).exists(o, o.?hostPort.orValue(0) != 0)))`,
  'privileged': ofContext('s.?privileged.orValue(false) == true'),
  'capabilities.add': ofContext(`s.?capabilities.?add.orValue([]).exists(a, !(a in ${JSON.stringify(BASELINE_CAPABILITIES)}))`),
  'procMount': ofContext('s.?procMount.orValue("Default") != "Default"'),
  'seccompProfile': ofContext('s.?seccompProfile.?type.orValue("") == "Unconfined"'),
  'appArmorProfile': ofContext('s.?appArmorProfile.?type.orValue("") == "Unconfined"'),
  'seLinuxOptions': ofContext(
    's.?seLinuxOptions.?user.orValue("") != "" || s.?seLinuxOptions.?role.orValue("") != "" '
    + `|| !(s.?seLinuxOptions.?type.orValue("") in ${JSON.stringify(BASELINE_SELINUX_TYPES)})`,
  ),
  'hostProcess': ofContext('s.?windowsOptions.?hostProcess.orValue(false) == true'),
  'probes.host': `${PODS}.exists(p, (${ALL_CONTAINERS}).exists(c, [${KUBELET_HANDLERS.map((path) => `c.?${path.join('.?')}`).join(', ')}]`
    + `.exists(h, ${KUBELET_ACTIONS.map((action) => `h.?${action}.?host.orValue("") != ""`).join(' || ')})))`,
  'sysctls': `${PODS}.exists(p, p.?securityContext.?sysctls.orValue([]).exists(s, !(s.name in ${JSON.stringify(BASELINE_SYSCTLS)})))`,
};

/** Whether an annotation names a profile, as before there was a field. The API server converts annotations to fields only for pods. */
const ofAnnotations = (annotations: string) => (
  `${annotations}.exists(m, m.exists(k, k.startsWith(${JSON.stringify(APP_ARMOR_ANNOTATION)}) && m[k] == ${JSON.stringify(APP_ARMOR_UNCONFINED)}))`);

/**
 * Variables `serviceAccounts` and `hostAccess`: lists of strings, from the variable `podSpecs`.
 * @param annotations list of the annotations of pods
 */
export const hostAccessVariables = (annotations?: string): readonly CelVariable[] => [
  {
    name: 'serviceAccounts',
    expression: `(${['serviceAccountName', 'serviceAccount'].map((field) => `${PODS}.filter(p, has(p.${field})).map(p, p.${field})`).join(' + ')})`
      + `.filter(a, a != "" && a != ${JSON.stringify(DEFAULT_SERVICE_ACCOUNT)})`,
  },
  {
    name: 'securityContexts',
    expression: `${PODS}.map(p, [p.?securityContext.orValue({})] + (${ALL_CONTAINERS}).map(c, c.?securityContext.orValue({})))`,
  },
  {
    name: 'hostAccess',
    expression: HOST_ACCESS.map((access) => {
      const isAnnotated = access === 'appArmorProfile' && annotations !== undefined ? ` || ${ofAnnotations(annotations)}` : '';
      return `(${EXPRESSIONS[access]}${isAnnotated} ? ["${access}"] : [])`;
    }).join(' + '),
  },
];
