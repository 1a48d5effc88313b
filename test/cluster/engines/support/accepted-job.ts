/**
 * A training job on an engine whose pods get no environment from anybody: synthesized by the construct, shown to the API server with strict checks,
 * and its first and last replica looked into, in the objects as the API server has them.
 */
import { Testing } from 'cdk8s';
import { Framework, HelperFailure, TrainingJob, type Engine, type JobHelper, type TrainingJobProps } from '../../../../src';
import { containerEnvironment } from '../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../src/local/process/object-source';
import type { Manifest } from '../../../../src/manifests/kubernetes';
import { TRAINING_CONTAINER } from '../../../../src/model/names';
import { replicaEnvironment } from '../../../../src/model/training-job/environment/environment';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { environmentInside, PRINT_ENVIRONMENT, type Variables } from '../../../manifests/engines/indexed/support/container-view';
import { addressesOfPods, podsByOrdinal } from '../../../manifests/engines/indexed/support/replicas';
import { upstreamPods } from '../../../manifests/engines/indexed/support/upstream-pods';
import type { TestObject } from '../../support/cluster';
import { judge } from '../../support/submit';

/** Forms of jobs of each framework: the short one, and long ones whose roles differ. */
export const FORMS: { readonly [framework in FrameworkName]: readonly Partial<TrainingJobProps>[] } = {
  pytorch: [{ replicas: 3 }, { roles: [{ name: 'worker', replicas: 2 }] }],
  tensorflow: [{ replicas: 3 }, { roles: [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }, { name: 'evaluator' }] }],
  mxnet: [{ replicas: 3 }, { roles: [{ name: 'scheduler' }, { name: 'server', replicas: 2 }, { name: 'worker', replicas: 2 }] }],
  jax: [{ replicas: 3 }],
  xgboost: [{ replicas: 3 }],
  lightgbm: [{ replicas: 3 }],
  mpi: [{ replicas: 2 }],
  horovod: [{ replicas: 2 }],
  deepspeed: [{ replicas: 2 }],
  paddle: [{ replicas: 3 }, { roles: [{ name: 'master' }, { name: 'worker', replicas: 2 }] }],
  plain: [{ replicas: 3 }, { roles: [{ name: 'actor', replicas: 2 }, { name: 'learner', replicas: 2 }] }],
};

/** Helpers beside any of them: the last replica of the job is one. */
export const HELPERS: JobHelper[] = [
  { name: 'rollout', replicas: 2, image: 'rollout', command: [...PRINT_ENVIRONMENT] },
  { name: 'buffer', image: 'redis', command: [...PRINT_ENVIRONMENT], port: 6379, onFailure: HelperFailure.FAIL },
];

/** Pairs of a framework and a form for tables: `jax 3`, `tensorflow chief, worker, ps, evaluator`. */
export function pairs(frameworks: readonly FrameworkName[]): (readonly [title: string, framework: FrameworkName, form: Partial<TrainingJobProps>])[] {
  return frameworks.flatMap((framework) => FORMS[framework].map((form) => (
    [`${framework} ${form.replicas ?? form.roles!.map(({ name }) => name).join(', ')}`, framework, form] as const)));
}

/** Collections of the kinds that the engines render. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  'v1 Pod': '/api/v1/namespaces/NAMESPACE/pods',
  'v1 Service': '/api/v1/namespaces/NAMESPACE/services',
  'v1 ConfigMap': '/api/v1/namespaces/NAMESPACE/configmaps',
  'v1 ServiceAccount': '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  'rbac.authorization.k8s.io/v1 Role': '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  'rbac.authorization.k8s.io/v1 RoleBinding': '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
  'networking.k8s.io/v1 NetworkPolicy': '/apis/networking.k8s.io/v1/namespaces/NAMESPACE/networkpolicies',
  'batch/v1 Job': '/apis/batch/v1/namespaces/NAMESPACE/jobs',
  'jobset.x-k8s.io/v1alpha2 JobSet': '/apis/jobset.x-k8s.io/v1alpha2/namespaces/NAMESPACE/jobsets',
  'batch.volcano.sh/v1alpha1 Job': '/apis/batch.volcano.sh/v1alpha1/namespaces/NAMESPACE/jobs',
  'ray.io/v1 RayJob': '/apis/ray.io/v1/namespaces/NAMESPACE/rayjobs',
  'sparkoperator.k8s.io/v1beta2 SparkApplication': '/apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/sparkapplications',
  'scheduling.x-k8s.io/v1alpha1 PodGroup': '/apis/scheduling.x-k8s.io/v1alpha1/namespaces/NAMESPACE/podgroups',
};

/** Collection that an object belongs to. */
export function collectionOf({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }, namespace: string): string {
  return COLLECTIONS[`${apiVersion} ${kind}`].replace('NAMESPACE', namespace);
}

/** What the construct makes of a job, `net`: the job last. */
export function synthesize(engine: Engine, framework: FrameworkName, namespace: string, props: Partial<TrainingJobProps>): TestObject[] {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', {
    metadata: { name: 'net', namespace }, framework: Framework[framework](), image: 'image', command: [...PRINT_ENVIRONMENT], engine, ...props,
  });
  return Testing.synth(chart) as TestObject[];
}

/** The objects as the API server would have them; an error with its words where it refuses one of them or warns of one. */
export async function accepted(objects: readonly TestObject[], namespace: string): Promise<TestObject[]> {
  const found: TestObject[] = [];
  for (const object of objects) {
    const { status, message, warnings, object: stored } = await judge(collectionOf(object, namespace), object);
    if (status !== 201 || warnings.length > 0) {
      throw new Error(`${object.kind} ${object.metadata.name}: ${[message, ...warnings].join('; ')}`);
    }
    found.push(stored);
  }
  return found;
}

/**
 * What the training containers of the first and of the last replica find, beside what the operator would give them.
 *
 * @param job the job's object as the API server has it
 */
export async function edgeEnvironments(
  job: TestObject, spec: TrainingJobSpec, namespace: string,
): Promise<{ readonly found: Variables; readonly expected: Variables }[]> {
  const resolved = resolveTrainingJob('net', spec);
  const pods = podsByOrdinal(resolved, upstreamPods(job as unknown as Manifest & { readonly spec: object }));
  const addresses = addressesOfPods(pods);
  const edges = [resolved.replicas[0], resolved.replicas[resolved.replicas.length - 1]];
  return Promise.all(edges.map(async (replica) => {
    const { pod } = pods.get(replica.ordinal)!;
    // Templates of custom resources are checked by nobody; pods are.
    await accepted([{ apiVersion: 'v1', kind: 'Pod', ...pod, metadata: { ...pod.metadata, name: 'net' } } as unknown as TestObject], namespace);
    const training = pod.spec.containers.find(({ name }) => name === TRAINING_CONTAINER)!;
    const alone = { ...training, env: replicaEnvironment({ job: resolved, replica, addresses }, 0) as [] };
    const expected = Object.fromEntries(await containerEnvironment(pod, alone, new MemoryObjectSource()));
    const inside = Object.entries(await environmentInside(pod, training));
    return { found: Object.fromEntries(inside.filter(([name]) => name in expected || !ADDED.test(name))), expected };
  }));
}

/** Variables that an engine adds; documented with it. */
const ADDED = /^(JOB_COMPLETION_INDEX|JOBSET_JOB_INDEX|JOBSET_JOB_GROUP_INDEX|VC_TASK_INDEX|VC_\w+_(HOSTS|NUM))$/;
