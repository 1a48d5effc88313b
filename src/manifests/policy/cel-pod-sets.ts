/** What `model/policy/pod-sets.ts` sees in jobs of other systems, in CEL. */
import { CLAIMS_OF_PODS, GPUS_OF_CONTAINER, IMAGES_OF_POD, PRIORITIES_OF_PODS, gpusOfPods, type CelTarget, type CelVariable } from './cel';
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
  /** What is named more than once. */
  readonly before?: readonly CelVariable[];
}

function variablesOf({ list, count, pod, deadline, priority, before = [] }: Sets): CelVariable[] {
  return [
    ...before,
    { name: 'sets', expression: list },
    { name: 'podSpecs', expression: `variables.sets.map(r, ${pod})` },
    { name: 'images', expression: `variables.podSpecs.map(p, ${IMAGES_OF_POD})` },
    { name: 'priorities', expression: priority === undefined ? PRIORITIES_OF_PODS : `(${priority}.hasValue() ? [${priority}.value()] : []) + ${PRIORITIES_OF_PODS}` },
    { name: 'replicas', expression: `variables.sets.map(r, ${count}).sum()` },
    { name: 'gpus', expression: `variables.sets.map(r, (${count}) * ${gpusOfPods(`[${pod}]`)}).sum()` },
    CLAIMS_OF_PODS,
    ...(deadline === undefined ? [] : [{ name: 'deadline', expression: deadline }]),
  ];
}

const TEMPLATE = 'r.?template.?spec.orValue({})';

/** A head, which has no name, and groups of workers, which have. */
function raySets(cluster: string, deadline?: string): CelVariable[] {
  const workers = `(variables.cluster.?enableInTreeAutoscaling.orValue(false) ? int(r.?maxReplicas.orValue(${RAY_UNLIMITED})) : int(r.?replicas.orValue(0))) * int(r.?numOfHosts.orValue(1))`;
  return variablesOf({
    before: [{ name: 'cluster', expression: cluster }],
    list: '(has(variables.cluster.headGroupSpec) ? [variables.cluster.headGroupSpec] : []) + variables.cluster.?workerGroupSpecs.orValue([])',
    count: `has(r.groupName) ? ${workers} : 1`,
    pod: TEMPLATE,
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
    }),
  },
  {
    suffix: 'trainjobs', apiGroup: 'trainer.kubeflow.org', apiVersions: ['v1alpha1'], resources: ['trainjobs'],
    variables: [
      { name: 'trainer', expression: `${SPEC}.?trainer.orValue({})` },
      { name: 'images', expression: '[has(variables.trainer.image) ? [variables.trainer.image] : []]' },
      { name: 'replicas', expression: 'int(variables.trainer.?numNodes.orValue(1))' },
      { name: 'gpus', expression: `variables.replicas * [variables.trainer.?resourcesPerNode.orValue({})].map(c, ${GPUS_OF_CONTAINER.replaceAll('c.?resources.', 'c.')}).sum()` },
      { name: 'deadline', expression: `${SPEC}.?activeDeadlineSeconds` },
    ],
  },
  {
    // MPIJobs are of two versions.
    suffix: 'kubeflow-jobs', apiGroup: 'kubeflow.org', apiVersions: ['*'], resources: ['pytorchjobs', 'tfjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'],
    variables: variablesOf({
      list: V1_REPLICA_FIELDS.map((field) => `${SPEC}.?${field}.orValue({}).map(k, ${SPEC}.${field}[k])`).join(' + '),
      count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE, deadline: `${SPEC}.?runPolicy.?activeDeadlineSeconds`,
    }),
  },
  { suffix: 'ray-clusters', apiGroup: 'ray.io', resources: ['rayclusters', 'rayservices'], variables: raySets(`object.kind == 'RayService' ? ${SPEC}.?rayClusterConfig.orValue({}) : ${SPEC}`) },
  { suffix: 'ray-jobs', apiGroup: 'ray.io', resources: ['rayjobs'], variables: raySets(`${SPEC}.?rayClusterSpec.orValue({})`, `${SPEC}.?activeDeadlineSeconds`) },
  {
    suffix: 'volcano-jobs', apiGroup: 'batch.volcano.sh', apiVersions: ['v1alpha1'], resources: ['jobs'],
    variables: variablesOf({ list: `${SPEC}.?tasks.orValue([])`, count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE, priority: `${SPEC}.?priorityClassName` }),
  },
];
