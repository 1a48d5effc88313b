import fc from 'fast-check';
import { constructJobObjects } from '../../src/manifests/job/job-objects';
import type { Manifest, OwnerReference } from '../../src/manifests/kubernetes';
import { withMpiSshKeys } from '../../src/manifests/job/mpi-files';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { replicasOfRole } from '../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../src/model/training-job/spec';
import { validateTrainingJob } from '../../src/model/training-job/validation/validation';
import { newMpiSshKeys } from '../../src/operator/training/ssh-keys';
import { jobName, validSpec } from '../model/training-job/arbitraries';
import { mustRequest } from './support/cluster';
import { createNamespace, deleteNamespace } from './support/namespace';
import { judge } from './support/submit';

const PRIORITY_CLASS = 'trainyard-test-manifests';

/** Some more of everything that a spec can ask of a pod. */
const RICH: Partial<TrainingJobSpec> = {
  args: ['--epochs', '$(EPOCHS)'],
  workingDir: '/work',
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's3', key: 'token' } } }],
  hyperparameters: { EPOCHS: '3', NOTE: 'costs $(5), or $$' },
  resources: {
    gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb', cpu: '500m', memory: '4Gi', ephemeralStorage: '10Gi', sharedMemory: '1Gi', extended: { 'rdma/hca': '1' },
  },
  checkpointPath: '/checkpoints',
  checkpoint: { claimName: 'data', subPath: 'run/1', gracePeriodSeconds: 90 },
  scheduling: {
    priorityClassName: PRIORITY_CLASS, schedulerName: 'other', nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'spot', operator: 'Exists' }],
    spread: { key: 'topology.kubernetes.io/zone', maxSkew: 2, mode: 'Preferred' },
  },
  template: {
    metadata: { labels: { team: 'vision' }, annotations: { note: 'x' } },
    spec: {
      containers: [
        { name: 'training', volumeMounts: [{ name: 'data', mountPath: '/data' }], securityContext: { runAsUser: 1000, allowPrivilegeEscalation: false } },
        { name: 'logs', image: 'logs' },
      ],
      initContainers: [{ name: 'fetch', image: 'fetch', restartPolicy: 'Always' }],
      volumes: [{ name: 'data', emptyDir: {} }],
      securityContext: { fsGroup: 1000 },
      serviceAccountName: 'default',
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { team: 'vision' } } },
      ],
    },
  },
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('manifests');
  const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: PRIORITY_CLASS }, value: 0 };
  await mustRequest('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass);
});

afterAll(async () => {
  await mustRequest('DELETE', `/apis/scheduling.k8s.io/v1/priorityclasses/${PRIORITY_CLASS}`);
  await deleteNamespace(namespace);
});

const COLLECTIONS: { readonly [kind: string]: string } = { Pod: 'pods', Service: 'services', ConfigMap: 'configmaps', Secret: 'secrets' };

/** What the API server says against objects, as `KIND NAME: what`. */
async function objections(manifests: readonly Manifest[]): Promise<string[]> {
  const found: string[] = [];
  for (const manifest of manifests) {
    const { status, message, warnings } = await judge(`/api/v1/namespaces/${namespace}/${COLLECTIONS[manifest.kind]}`, manifest);
    const words = [...(status === 201 ? [] : [message]), ...warnings];
    found.push(...words.map((text) => `${manifest.kind} ${manifest.metadata.name}: ${text}`));
  }
  return found;
}

/** All objects of a job, of pods the first and the last of each role. */
function objectsOf(job: ResolvedTrainingJob): Manifest[] {
  const owner: OwnerReference = {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: job.name, uid: '00000000-0000-0000-0000-000000000000', controller: true, blockOwnerDeletion: true,
  };
  const objects = constructJobObjects({ job, namespace, owner });
  const replicas = job.roles.flatMap((role) => {
    const all = replicasOfRole(job, role.name);
    return [...new Set([all[0], all[all.length - 1]])];
  });
  return [
    ...objects.services,
    ...objects.configMaps,
    ...objects.generatedSecrets.map(({ secret }) => withMpiSshKeys(secret, newMpiSshKeys())),
    ...replicas.map((replica) => constructReplicaPod({ job, namespace, owner, replica, attempt: 3 }) as Manifest),
  ];
}

function valid(name: string, spec: TrainingJobSpec): ResolvedTrainingJob {
  expect(validateTrainingJob(name, spec)).toEqual([]);
  return resolveTrainingJob(name, spec);
}

/** Long forms beside what the short form makes. */
const LONG_FORMS: readonly (readonly [FrameworkName, readonly string[]])[] = [
  ['tensorflow', ['chief', 'worker', 'ps', 'evaluator']],
  ['mxnet', ['scheduler', 'server', 'worker']],
  ['paddle', ['master', 'worker']],
  ['plain', ['actor', 'learner']],
];

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(FRAMEWORK_NAMES)('all objects of a job of %s', async (framework) => {
    expect(await objections(objectsOf(valid('net', { framework, image: 'image', replicas: 3 })))).toEqual([]);
  });

  test.each(FRAMEWORK_NAMES)('all objects of a job of %s that asks for everything', async (framework) => {
    expect(await objections(objectsOf(valid('net', { framework, image: 'image', replicas: 2, ...RICH })))).toEqual([]);
  });

  test.each(LONG_FORMS)('all objects of a job of %s with the roles %j', async (framework, roles) => {
    expect(await objections(objectsOf(valid('net', { framework, image: 'image', roles: roles.map((name) => ({ name })) })))).toEqual([]);
  });

  test('all objects of a job whose port is the framework\'s own', async () => {
    expect(await objections(objectsOf(valid('net', { framework: 'tensorflow', image: 'image', replicas: 2, port: 2222 })))).toEqual([]);
  });

  test('all objects of any valid job', async () => {
    await fc.assert(fc.asyncProperty(jobName, validSpec, async (name, spec) => {
      fc.pre(validateTrainingJob(name, spec).length === 0);
      expect(await objections(objectsOf(resolveTrainingJob(name, spec)))).toEqual([]);
    }), { numRuns: 60 });
  });
});
