import type { Container, Pod } from '../../../src/manifests/kubernetes';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { asObject, longForm, replicaNamed, resolved, shortForm } from '../../model/jobs';

const OWNER = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'u1', controller: true, blockOwnerDeletion: true };

function podOf(spec: TrainingJobSpec, name: string, attempt = 0): Pod {
  const job = resolved(spec);
  return constructReplicaPod({ job, replica: replicaNamed(job, name), namespace: 'ml', attempt, owner: OWNER });
}

function container(pod: Pod, name = 'training'): Container {
  return pod.spec!.containers.find((candidate) => candidate.name === name)!;
}

describe('the pod of a replica', () => {
  test('keeps the blog\'s contract', () => {
    const pod = podOf(shortForm('pytorch', 4, { image: 'torch:2', resources: { gpu: 1, memory: '16Gi', cpu: '4' }, hyperparameters: { BATCH_SIZE: '32' } }), 'net-worker-1', 2);

    expect(pod.metadata).toEqual({
      name: 'net-worker-1',
      namespace: 'ml',
      labels: {
        'job': 'net',
        'role': 'worker',
        'ml.collabnix.io/replica-index': '1',
        'ml.collabnix.io/attempt': '2',
        'app.kubernetes.io/managed-by': 'trainyard-operator',
        'sidecar.istio.io/inject': 'false',
      },
      annotations: { 'ml.collabnix.io/rank': '2' },
      ownerReferences: [OWNER],
    });
    expect(pod.spec!.restartPolicy).toBe('Never');
    expect(pod.spec!.containers).toHaveLength(1);
    expect(container(pod)).toMatchObject({
      name: 'training',
      image: 'torch:2',
      resources: { requests: { cpu: '4', memory: '16Gi' }, limits: { 'cpu': '4', 'memory': '16Gi', 'nvidia.com/gpu': '1' } },
    });
    expect(asObject(container(pod).env!)).toMatchObject({
      ROLE: 'worker', RANK: '2', WORLD_SIZE: '4', MASTER_ADDR: 'net-master', MASTER_PORT: '29500', BATCH_SIZE: '32',
    });
  });

  test('has a host name of its own only where replicas dial each other', () => {
    expect(podOf(shortForm('pytorch', 2), 'net-worker-0').spec).not.toHaveProperty('hostname');
    expect(podOf(shortForm('jax', 2), 'net-worker-0').spec).toMatchObject({ hostname: 'net-worker-0', subdomain: 'net' });
  });

  test('says what the container ran last when it fails', () => {
    expect(container(podOf(shortForm('jax', 1), 'net-worker-0')).terminationMessagePolicy).toBe('FallbackToLogsOnError');
  });

  test('has no token for the Kubernetes API, unless the template names a service account', () => {
    expect(podOf(shortForm('jax', 1), 'net-worker-0').spec).toMatchObject({ automountServiceAccountToken: false });
    const named = podOf(shortForm('jax', 1, { template: { spec: { serviceAccountName: 'trainer' } } }), 'net-worker-0').spec;
    expect(named).toMatchObject({ serviceAccountName: 'trainer' });
    expect(named).not.toHaveProperty('automountServiceAccountToken');
  });

  test('runs under the runtime\'s seccomp profile, unless the template says otherwise', () => {
    const securityContext = (template?: object) => podOf(shortForm('jax', 1, { template }), 'net-worker-0').spec!.securityContext;
    expect(securityContext()).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(securityContext({ spec: { securityContext: { fsGroup: 7 } } })).toEqual({ seccompProfile: { type: 'RuntimeDefault' }, fsGroup: 7 });
    expect(securityContext({ spec: { securityContext: { seccompProfile: { type: 'Unconfined' } } } })).toEqual({ seccompProfile: { type: 'Unconfined' } });
  });

  test('is placed as the job asks', () => {
    const { spec } = podOf(shortForm('jax', 1, {
      resources: { gpu: 1 },
      scheduling: { priorityClassName: 'high', schedulerName: 'kai', nodeSelector: { a: '1' }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
      checkpoint: { gracePeriodSeconds: 120 },
      template: { spec: { nodeSelector: { b: '2' }, tolerations: [{ key: 'own' }] } },
    }), 'net-worker-0');
    expect(spec).toMatchObject({ priorityClassName: 'high', schedulerName: 'kai', nodeSelector: { a: '1', b: '2' }, terminationGracePeriodSeconds: 120 });
    expect(spec!.tolerations!.map((toleration) => toleration.key)).toEqual(['nvidia.com/gpu', 'spot', 'own']);
  });

  test('sees the checkpoint claim at its path, and shared memory of the size that was asked for', () => {
    const pod = podOf(shortForm('jax', 1, {
      checkpointPath: '/ckpt', checkpoint: { claimName: 'data', subPath: 'run' }, resources: { memory: '8Gi', sharedMemory: '2Gi' },
    }), 'net-worker-0');
    expect(pod.spec!.volumes).toEqual([
      { name: 'trainyard-shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } },
      { name: 'trainyard-checkpoints', persistentVolumeClaim: { claimName: 'data' } },
    ]);
    expect(container(pod).volumeMounts).toEqual([
      { name: 'trainyard-shared-memory', mountPath: '/dev/shm' }, { name: 'trainyard-checkpoints', mountPath: '/ckpt', subPath: 'run' },
    ]);
  });

  test('a container named training in a template is merged into ours, others stand beside it', () => {
    const pod = podOf(shortForm('jax', 1, {
      env: [{ name: 'A', value: '1' }],
      template: {
        spec: {
          containers: [{ name: 'logs', image: 'logs' }, { name: 'training', env: [{ name: 'B', value: '2' }], tty: true }],
          initContainers: [{ name: 'fetch', image: 'fetch' }],
        },
      },
    }), 'net-worker-0');
    expect(pod.spec!.containers.map(({ name }) => name)).toEqual(['training', 'logs']);
    expect(container(pod)).toMatchObject({ image: 'image', tty: true });
    expect(asObject(container(pod).env!)).toMatchObject({ A: '1', B: '2', JAX_PROCESS_ID: '0' });
    expect(pod.spec!.initContainers).toEqual([{ name: 'fetch', image: 'fetch' }]);
  });

  test('a role\'s template lies over the job\'s, and its image, command and resources in the place of the job\'s', () => {
    const spec = longForm('tensorflow', {
      chief: { image: 'chief', command: ['a'], template: { metadata: { labels: { tier: 'chief' } } } }, worker: 1, ps: 1,
    }, { command: ['b'], args: ['c'], resources: { gpu: 1, cpu: '2' }, template: { metadata: { labels: { tier: 'all', team: 'x' } } } });
    const [chief, worker, ps] = ['net-chief', 'net-worker-0', 'net-ps-0'].map((name) => podOf(spec, name));
    expect(chief.metadata!.labels).toMatchObject({ tier: 'chief', team: 'x', role: 'chief' });
    expect(container(chief)).toMatchObject({ image: 'chief', command: ['a'], args: ['c'] });
    expect(container(worker)).toMatchObject({ image: 'image', command: ['b'], args: ['c'], resources: { limits: { 'cpu': '2', 'nvidia.com/gpu': '1' } } });
    // A parameter server computes on cpus, whatever its workers have.
    expect(container(ps).resources).toEqual({ limits: { cpu: '2' }, requests: { cpu: '2' } });
    expect(ps.metadata).not.toHaveProperty('annotations');
  });

  test('an MXNet master runs scheduler and server beside it, without devices', () => {
    const pod = podOf(shortForm('mxnet', 2, {
      resources: { gpu: 1, cpu: '1', sharedMemory: '0' },
      template: { spec: { containers: [
        { name: 'training', volumeMounts: [{ name: 'code', mountPath: '/code' }] }, { name: 'server', resources: { limits: { memory: '1Gi' } } },
      ], volumes: [{ name: 'code', emptyDir: {} }] } },
    }), 'net-master');
    expect(pod.spec!.containers.map(({ name }) => name)).toEqual(['training', 'scheduler', 'server']);
    expect(['training', 'scheduler', 'server'].map((name) => asObject(container(pod, name).env!).DMLC_ROLE)).toEqual(['worker', 'scheduler', 'server']);
    expect(container(pod, 'scheduler')).not.toHaveProperty('resources');
    expect(container(pod, 'server').resources).toEqual({ limits: { memory: '1Gi' } });
    expect(container(pod, 'server').volumeMounts).toEqual([{ name: 'code', mountPath: '/code' }]);
    expect(container(pod, 'server')).not.toHaveProperty('ports');
    expect(container(podOf(shortForm('mxnet', 2), 'net-worker-0')).ports).toEqual([{ name: 'master', containerPort: 29500, protocol: 'TCP' }]);
  });

  test.each(FRAMEWORK_NAMES)('of %s looks like this', (framework) => {
    const job = resolved(shortForm(framework, 2, { command: ['train'], resources: { gpu: 1 } }));
    const pods = job.replicas.map((replica) => constructReplicaPod({ job, replica, namespace: 'ml', attempt: 0 }));
    expect(pods[0]).toMatchSnapshot();
  });
});

describe('a pod that can report its progress', () => {
  const job = resolved(shortForm('jax', 2));
  const build = (progress?: { url: string; authorities?: string }, spec = job) => constructReplicaPod({
    job: spec, replica: replicaNamed(spec, 'net-worker-1'), namespace: 'ml', attempt: 0, owner: OWNER, progress,
  });

  test('has a token for its job, the authorities and the address, and the rest as without', () => {
    const { metadata, spec } = build({ url: 'https://operator:10443', authorities: 'PEM' });
    expect(metadata!.annotations).toMatchObject({ 'ml.collabnix.io/progress-ca': 'PEM' });
    expect(asObject(spec!.containers[0].env!)).toMatchObject({
      KUBEFLOW_TRAINER_SERVER_URL: 'https://operator:10443/apis/trainer.kubeflow.org/v1alpha1/namespaces/ml/trainjobs/net/status',
      KUBEFLOW_TRAINER_SERVER_CA_CERT: '/var/run/secrets/kubeflow/trainer/ca.crt',
      KUBEFLOW_TRAINER_SERVER_TOKEN: '/var/run/secrets/kubeflow/trainer/token',
    });
    expect(spec!.volumes).toEqual([{
      name: 'trainyard-progress',
      projected: {
        sources: [
          { serviceAccountToken: { audience: 'trainer.kubeflow.org/v1alpha1/namespaces/ml/trainjobs/net/status', expirationSeconds: 3600, path: 'token' } },
          { downwardAPI: { items: [{ path: 'ca.crt', fieldRef: { fieldPath: 'metadata.annotations[\'ml.collabnix.io/progress-ca\']' } }] } },
        ],
      },
    }]);
    expect(spec!.serviceAccountName).toBe('default');
    // The token for reports is no token for the API: that one is still not mounted.
    expect(spec!.automountServiceAccountToken).toBe(false);
  });

  test('has no file of authorities where there is no TLS', () => {
    const { metadata, spec } = build({ url: 'http://127.0.0.1:1' });
    expect(metadata!.annotations).not.toHaveProperty(['ml.collabnix.io/progress-ca']);
    expect(spec!.containers[0].env!.map(({ name }) => name)).not.toContain('KUBEFLOW_TRAINER_SERVER_CA_CERT');
    expect((spec!.volumes![0].projected as { sources: object[] }).sources).toHaveLength(1);
  });

  test('keeps the account that its template names', () => {
    const named = resolved(shortForm('jax', 2, { template: { spec: { serviceAccountName: 'trainer' } } }));
    expect(build({ url: 'https://o' }, named).spec!.serviceAccountName).toBe('trainer');
  });

  test('is told nothing where the operator has no endpoint', () => {
    const { spec } = build();
    expect(spec!.volumes).toBeUndefined();
    expect(spec!.serviceAccountName).toBeUndefined();
    expect(spec!.containers[0].env!.filter(({ name }) => /KUBEFLOW|PROGRESS/.test(name))).toEqual([]);
  });
});
