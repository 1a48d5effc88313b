/** What `model/policy/pod-sets.ts` sees in jobs of other systems, in CEL. */
import {
  CLAIMS_OF_PODS, IMAGES_OF_POD, PRIORITIES_OF_PODS, WITH_DEVICES, gpusOfAmounts, gpusOfPods, queueLabels, type CelTarget, type CelVariable,
} from './cel';
import { RAY_UNLIMITED, V1_REPLICA_FIELDS } from '../../model/policy/pod-sets';

const SPEC = 'dyn(object.spec)';

/** How a kind writes down its sets of pods. */
interface Sets {
  /** List of the sets. */
  readonly list: string;
  /** How many pods set `r` has. */
  readonly count: string;
  /** `spec` of the pods of set `r`. */
  readonly pod: string;
  readonly deadline?: string;
  /** Priority class for all pods. */
  readonly priority?: string;
  /** Whether the object has to wait in a queue of Kueue, where a policy has some. @default - Kueue does not take the kind */
  readonly mustQueue?: string;
  /** What is named more than once. */
  readonly before?: readonly CelVariable[];
}

function variablesOf({ list, count, pod, deadline, priority, mustQueue, before = [] }: Sets): CelVariable[] {
  return [
    ...before,
    { name: 'sets', expression: list },
    { name: 'podSpecs', expression: `variables.sets.map(r, ${pod})` },
    { name: 'images', expression: `variables.podSpecs.map(p, ${IMAGES_OF_POD})` },
    { name: 'priorities', expression: priority === undefined ? PRIORITIES_OF_PODS : `(${priority}.hasValue() ? [${priority}.value()] : []) + ${PRIORITIES_OF_PODS}` },
    { name: 'replicas', expression: `variables.sets.map(r, ${count}).sum()` },
    { name: 'gpus', expression: `variables.sets.map(r, (${count}) * ${gpusOfPods(`[${pod}]`)}).sum()` },
    CLAIMS_OF_PODS,
    ...(mustQueue === undefined ? [] : queueLabels(mustQueue)),
    ...(deadline === undefined ? [] : [{ name: 'deadline', expression: deadline }]),
  ];
}

const TEMPLATE = 'r.?template.?spec.orValue({})';

/** A head, which has no name, and groups of workers, which have. */
function raySets(cluster: string, mustQueue: string, deadline?: string): CelVariable[] {
  const workers = `(variables.cluster.?enableInTreeAutoscaling.orValue(false) ? int(r.?maxReplicas.orValue(${RAY_UNLIMITED})) : int(r.?replicas.orValue(0))) * int(r.?numOfHosts.orValue(1))`;
  return variablesOf({
    before: [{ name: 'cluster', expression: cluster }],
    list: '(has(variables.cluster.headGroupSpec) ? [variables.cluster.headGroupSpec] : []) + variables.cluster.?workerGroupSpecs.orValue([])',
    count: `has(r.groupName) ? ${workers} : 1`,
    pod: TEMPLATE,
    mustQueue,
    deadline,
  });
}

/** Jobs of other systems that say how large they are. */
export const POD_SET_TARGETS: readonly CelTarget[] = [
  {
    suffix: 'jobsets', apiGroup: 'jobset.x-k8s.io', apiVersions: ['v1alpha2'], resources: ['jobsets'],
    variables: variablesOf({
      list: `${SPEC}.?replicatedJobs.orValue([])`,
      count: 'int(r.?replicas.orValue(1)) * int(r.?template.?spec.?parallelism.orValue(1))',
      pod: 'r.?template.?spec.?template.?spec.orValue({})',
      // It has none itself: each of its jobs has to have one.
      deadline: `[${SPEC}.?replicatedJobs.orValue([]).map(r, r.?template.?spec.?activeDeadlineSeconds)].map(l, size(l) > 0 && l.all(d, d.hasValue()) `
        + '? optional.of(l.map(d, int(d.value())).max()) : optional.none())[0]',
      mustQueue: 'true',
    }),
  },
  {
    suffix: 'leader-worker-sets', apiGroup: 'leaderworkerset.x-k8s.io', resources: ['leaderworkersets'],
    variables: variablesOf({
      before: [{ name: 'groups', expression: `int(${SPEC}.?replicas.orValue(1))` }, { name: 'group', expression: `${SPEC}.leaderWorkerTemplate` }],
      list: '[{"count": dyn(variables.groups), "template": dyn(variables.group.?leaderTemplate.orValue(variables.group.workerTemplate))}, '
        + '{"count": dyn(variables.groups * (int(variables.group.?size.orValue(1)) - 1)), "template": dyn(variables.group.workerTemplate)}]',
      count: 'int(r.count)',
      pod: TEMPLATE,
      mustQueue: WITH_DEVICES,
    }),
  },
  // Of their pods nothing is counted here.
  {
    suffix: 'spark-applications', apiGroup: 'sparkoperator.k8s.io', apiVersions: ['v1beta2'], resources: ['sparkapplications', 'scheduledsparkapplications'],
    variables: queueLabels('true'),
  },
  {
    suffix: 'trainjobs', apiGroup: 'trainer.kubeflow.org', apiVersions: ['v1alpha1'], resources: ['trainjobs'],
    variables: [
      { name: 'trainer', expression: `${SPEC}.?trainer.orValue({})` },
      { name: 'images', expression: '[has(variables.trainer.image) ? [variables.trainer.image] : []]' },
      { name: 'replicas', expression: 'int(variables.trainer.?numNodes.orValue(1))' },
      { name: 'gpus', expression: `variables.replicas * ${gpusOfAmounts('variables.trainer.?resourcesPerNode.?limits.orValue({})')}` },
      ...queueLabels('true'),
      { name: 'deadline', expression: `${SPEC}.?activeDeadlineSeconds` },
    ],
  },
  {
    // MPIJobs are of two versions.
    suffix: 'kubeflow-jobs', apiGroup: 'kubeflow.org', apiVersions: ['*'], resources: ['pytorchjobs', 'tfjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'],
    variables: variablesOf({
      list: V1_REPLICA_FIELDS.map((field) => `${SPEC}.?${field}.orValue({}).map(k, ${SPEC}.${field}[k])`).join(' + '),
      count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE, deadline: `${SPEC}.?runPolicy.?activeDeadlineSeconds`, mustQueue: 'true',
    }),
  },
  { suffix: 'ray-clusters', apiGroup: 'ray.io', resources: ['rayclusters', 'rayservices'], variables: raySets(`object.kind == 'RayService' ? ${SPEC}.?rayClusterConfig.orValue({}) : ${SPEC}`, WITH_DEVICES) },
  { suffix: 'ray-jobs', apiGroup: 'ray.io', resources: ['rayjobs'], variables: raySets(`${SPEC}.?rayClusterSpec.orValue({})`, `has(${SPEC}.rayClusterSpec)`, `${SPEC}.?activeDeadlineSeconds`) },
  {
    suffix: 'volcano-jobs', apiGroup: 'batch.volcano.sh', apiVersions: ['v1alpha1'], resources: ['jobs'],
    variables: variablesOf({ list: `${SPEC}.?tasks.orValue([])`, count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE, priority: `${SPEC}.?priorityClassName` }),
  },
];
