/** What all kinds have in common: the pods. Shown on PyTorchJobs. */
import { migrated, migratedUnchecked, noteAt, notesOf, pytorchJob } from './migrating';

const MASTER = 'spec.pytorchReplicaSpecs.Master.template.spec';

/** The job's template, of a master alone. */
const templateOf = (fields: Parameters<typeof pytorchJob>[0]) => migrated(pytorchJob({ workers: 0, ...fields })).spec.template;

describe('containers', () => {
  test('beside the one that trains, init containers and volumes stay in the pod template', () => {
    const yaml = pytorchJob({
      workers: 0, container: 'volumeMounts: [{ name: data, mountPath: /data }]',
      pod: 'initContainers: [{ name: fetch, image: fetch:1, volumeMounts: [{ name: data, mountPath: /d }] }], volumes: [{ name: data, persistentVolumeClaim: { claimName: imagenet } }]',
    }).replace('containers: [', 'containers: [{ name: logs, image: fluentbit }, ');
    expect(migrated(yaml).spec.template).toEqual({
      spec: {
        initContainers: [{ name: 'fetch', image: 'fetch:1', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
        containers: [{ name: 'training', volumeMounts: [{ name: 'data', mountPath: '/data' }] }, { name: 'logs', image: 'fluentbit' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'imagenet' } }],
      },
    });
  });

  test('keep every field that has none in the job, known or not', () => {
    expect(templateOf({ container: 'imagePullPolicy: Always, securityContext: { runAsUser: 1 }, envFrom: [{ secretRef: { name: s } }], lifecycle: {}, frobnicate: 7' })).toEqual({
      spec: {
        containers: [{
          name: 'training', imagePullPolicy: 'Always', securityContext: { runAsUser: 1 }, envFrom: [{ secretRef: { name: 's' } }], lifecycle: {}, frobnicate: 7,
        }],
      },
    });
  });

  test('that have our container\'s name are called otherwise', () => {
    const yaml = pytorchJob({ workers: 0 }).replace('containers: [', 'containers: [{ name: training, image: other }, ');
    const job = migrated(yaml);
    expect(job.spec.template).toEqual({ spec: { containers: [{ name: 'training-sidecar', image: 'other' }] } });
    noteAt(job, 'changed', `${MASTER}.containers[0].name`);
  });

  test('that another operator brought are left out', () => {
    const job = migrated(pytorchJob({ workers: 0, pod: 'initContainers: [{ name: init-pytorch, image: alpine, command: [sh] }, { name: mine, image: i }]' }));
    expect(job.spec.template).toEqual({ spec: { initContainers: [{ name: 'mine', image: 'i' }] } });
    expect(noteAt(job, 'changed', `${MASTER}.initContainers[0]`).message).toContain('until the master answers');
  });

  test('all roles share those that are the same, and each has its own', () => {
    const yaml = pytorchJob({ pod: 'serviceAccountName: me' })
      .replace('command: [python, train.py] }]', 'command: [python, train.py], volumeMounts: [{ name: a, mountPath: /a }] }, { name: logs, image: l }]')
      .replace('command: [python, train.py] }]', 'command: [python, train.py] }, { name: logs, image: l }, { name: more, image: m }]');
    const { spec } = migrated(yaml);
    expect(spec.template).toEqual({ spec: { serviceAccountName: 'me', containers: [{ name: 'logs', image: 'l' }] } });
    expect(spec.roles?.map(({ template }) => template?.spec?.containers)).toEqual([
      [{ name: 'training', volumeMounts: [{ name: 'a', mountPath: '/a' }] }], [{ name: 'more', image: 'm' }],
    ]);
  });
});

describe('pods', () => {
  test('keep what has no field: affinity, host network, grace period, secrets of registries', () => {
    expect(templateOf({ pod: 'affinity: { nodeAffinity: {} }, hostNetwork: true, terminationGracePeriodSeconds: 90, imagePullSecrets: [{ name: r }]' })).toEqual({
      spec: { affinity: { nodeAffinity: {} }, hostNetwork: true, terminationGracePeriodSeconds: 90, imagePullSecrets: [{ name: 'r' }] },
    });
  });

  test('have their placement in scheduling, where all roles agree', () => {
    const pod = 'nodeSelector: { a: b }, priorityClassName: high, schedulerName: mine, tolerations: [{ key: gpu, value: "1", effect: NoSchedule }, { operator: Exists }]';
    expect(migrated(pytorchJob({ pod })).spec.scheduling).toEqual({
      nodeSelector: { a: 'b' }, priorityClassName: 'high', schedulerName: 'mine',
      tolerations: [{ key: 'gpu', value: '1', effect: 'NoSchedule', operator: 'Equal' }, { operator: 'Exists' }],
    });
  });

  test('have it in their templates, where roles differ', () => {
    const { spec } = migrated(pytorchJob({ pod: 'nodeSelector: { a: b }' }).replace('a: b', 'a: c'));
    expect(spec.scheduling).toBeUndefined();
    expect(spec.roles).toMatchObject([{ name: 'master', template: { spec: { nodeSelector: { a: 'c' } } } }, { name: 'worker', template: { spec: { nodeSelector: { a: 'b' } } } }]);
  });

  test('keep labels and annotations, but for those that find pods, and for names', () => {
    const yaml = pytorchJob({ workers: 0 }).replace('template:\n', 'template:\n        metadata: { name: x, labels: { team: a, job: mine }, annotations: { sidecar.istio.io/inject: false } }\n');
    const job = migrated(yaml);
    expect(job.spec.template).toEqual({ metadata: { labels: { team: 'a' }, annotations: { 'sidecar.istio.io/inject': 'false' } } });
    noteAt(job, 'lost', 'spec.pytorchReplicaSpecs.Master.template.metadata.labels[\'job\']');
    noteAt(job, 'lost', 'spec.pytorchReplicaSpecs.Master.template.metadata.name');
  });

  test('lose host names of their own', () => {
    const job = migrated(pytorchJob({ workers: 0, pod: 'hostname: me, subdomain: us' }));
    expect(job.spec.template).toBeUndefined();
    ['hostname', 'subdomain'].forEach((field) => noteAt(job, 'lost', `${MASTER}.${field}`));
  });

  test('say a working directory once', () => {
    const same = migrated(pytorchJob({ container: 'workingDir: /app' }));
    expect(same.spec.workingDir).toBe('/app');
    const other = migrated(pytorchJob({ container: 'workingDir: /app' }).replace('/app', '/here'));
    expect(other.spec.workingDir).toBe('/here');
    expect(noteAt(other, 'lost', 'spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].workingDir').value).toBe('/app');
  });
});

describe('compute', () => {
  const resourcesOf = (resources: string) => migrated(pytorchJob({ workers: 0, container: `resources: ${resources}` })).spec;

  test.each([
    ['limits alone', '{ limits: { cpu: 4, memory: 8Gi, ephemeral-storage: 1Gi } }', { cpu: '4', memory: '8Gi', ephemeralStorage: '1Gi' }],
    ['requests that are the limits', '{ requests: { cpu: 1000m }, limits: { cpu: 1 } }', { cpu: '1' }],
    ['GPUs', '{ limits: { nvidia.com/gpu: 8 } }', { gpu: 8 }],
    ['GPUs of others', '{ limits: { amd.com/gpu: "2" } }', { gpu: 2, gpuResourceName: 'amd.com/gpu' }],
    ['slices', '{ limits: { nvidia.com/mig-1g.5gb: 1 } }', { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' }],
    ['TPUs', '{ limits: { google.com/tpu: 4 } }', { tpu: 4 }],
    ['other devices', '{ limits: { rdma/hca: 1, nvidia.com/gpu: 1 }, requests: { nvidia.com/gpu: 1 } }', { gpu: 1, extended: { 'rdma/hca': '1' } }],
  ])('%s', (_what, written, expected) => {
    const spec = resourcesOf(written);
    expect(spec.resources).toEqual(expected);
    expect(spec.template).toBeUndefined();
  });

  test('requests without limits, or with others, stay as they are', () => {
    const job = migrated(pytorchJob({ workers: 0, container: 'resources: { requests: { cpu: 2, memory: 1Gi }, limits: { cpu: 4, nvidia.com/gpu: 1 }, claims: [{ name: c }] }' }));
    expect(job.spec.resources).toEqual({ gpu: 1 });
    expect(job.spec.template?.spec?.containers).toEqual([
      { name: 'training', resources: { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '4' }, claims: [{ name: 'c' }] } },
    ]);
    expect(noteAt(job, 'changed', `${MASTER}.containers[0].resources`).message).toMatch(/^cpu and memory: kept in the pod template/);
  });

  test('a memory-backed volume at /dev/shm is shared memory', () => {
    const shm = (mounts: string, source = 'emptyDir: { medium: Memory, sizeLimit: 8Gi }') => migrated(pytorchJob({
      workers: 0, container: `volumeMounts: [${mounts}]`, pod: `volumes: [{ name: shm, ${source} }]`,
    })).spec;
    expect(shm('{ name: shm, mountPath: /dev/shm }')).toMatchObject({ resources: { sharedMemory: '8Gi' } });
    expect(shm('{ name: shm, mountPath: /dev/shm }').template).toBeUndefined();
    // Without a size, in another place too, or on disk it is something else.
    for (const other of [shm('{ name: shm, mountPath: /dev/shm }', 'emptyDir: { medium: Memory }'), shm('{ name: shm, mountPath: /dev/shm }, { name: shm, mountPath: /x }'),
      shm('{ name: shm, mountPath: /dev/shm }', 'emptyDir: { sizeLimit: 8Gi }')]) {
      expect(other.resources).toBeUndefined();
      expect(other.template?.spec?.volumes).toHaveLength(1);
    }
  });
});

describe('variables', () => {
  const envOf = (env: string, fields: Parameters<typeof pytorchJob>[0] = {}) => migrated(pytorchJob({ container: `env: [${env}]`, ...fields }));

  test('with a source stay as they are, and numbers become text', () => {
    const job = envOf('{ name: TOKEN, valueFrom: { secretKeyRef: { name: hub, key: token } } }, { name: N, value: 3 }, { name: EMPTY }');
    expect(job.spec.env).toEqual([{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }, { name: 'N', value: '3' }, { name: 'EMPTY', value: '' }]);
    noteAt(job, 'changed', `${MASTER}.containers[0].env[1].value`);
  });

  test('that stand twice have their later value', () => {
    const job = envOf('{ name: A, value: "1" }, { name: B, value: "2" }, { name: A, value: "3" }');
    expect(job.spec.env).toEqual([{ name: 'B', value: '2' }, { name: 'A', value: '3' }]);
  });

  test('that the contract sets are left out, and told apart by whether they were the same', () => {
    const job = envOf('{ name: WORLD_SIZE, value: "3" }, { name: MASTER_ADDR, value: mnist-master-0.ml.svc }, { name: RANK, value: "7" }, { name: NCCL_DEBUG, value: INFO }');
    expect(job.spec.env).toEqual([{ name: 'NCCL_DEBUG', value: 'INFO' }]);
    expect(noteAt(job, 'changed', `${MASTER}.containers[0].env['WORLD_SIZE']`).message).toContain('to the same');
    expect(noteAt(job, 'changed', `${MASTER}.containers[0].env['MASTER_ADDR']`).message).toContain('host\'s name here');
    expect(noteAt(job, 'differs', 'spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].env[\'RANK\']')).toMatchObject({ value: '7', message: expect.stringContaining('here to 1, 2') });
  });

  test('that fields say move there', () => {
    const { spec } = envOf('{ name: MASTER_PORT, value: "1234" }, { name: PET_NPROC_PER_NODE, value: "2" }, { name: CHECKPOINT_PATH, value: /c/$$x }, { name: RESUME_FROM, value: /c/1 }');
    expect(spec).toMatchObject({ port: 1234, nprocPerNode: 2, checkpointPath: '/c/$x', checkpoint: { resumeFrom: '/c/1' } });
    expect(spec.env).toBeUndefined();
  });

  test('that refer to others stay variables', () => {
    expect(envOf('{ name: ROOT, value: /c }, { name: CHECKPOINT_PATH, value: $(ROOT)/x }').spec)
      .toMatchObject({ env: [{ name: 'ROOT', value: '/c' }, { name: 'CHECKPOINT_PATH', value: '$(ROOT)/x' }] });
  });

  test('that tell who a replica is have our words for it', () => {
    const field = (path: string) => `valueFrom: { fieldRef: { fieldPath: "metadata.labels['${path}']" } }`;
    const job = envOf(`{ name: IDX, ${field('training.kubeflow.org/replica-index')} }, { name: TYPE, ${field('training.kubeflow.org/replica-type')} }, { name: X, ${field('ray.io/group')} }`);
    expect(job.spec.env).toMatchObject([{ name: 'IDX', value: '$(TRAINYARD_REPLICA_INDEX)' }, { name: 'TYPE', value: '$(ROLE)' }, { name: 'X' }]);
    expect(noteAt(job, 'lost', `${MASTER}.containers[0].env['X']`).message).toContain('another controller');
  });

  test('of roles that differ keep their order where they refer to each other', () => {
    const yaml = pytorchJob({ container: 'env: [{ name: A, value: "1" }, { name: B, value: $(A)$(C) }, { name: C, value: x }]' }).replace('value: x', 'value: "y"');
    const { spec } = migrated(yaml);
    expect(spec.env).toBeUndefined();
    expect(spec.roles?.map(({ env }) => env?.map(({ name }) => name))).toEqual([['A', 'B', 'C'], ['A', 'B', 'C']]);
  });
});

test('a port that is the job\'s own goes without saying, and one of another number or name does not', () => {
  const ports = 'ports: [{ containerPort: 29500 }, { containerPort: 9090 }, { containerPort: 29500, name: mine, protocol: UDP }]';
  const result = migrated(pytorchJob({ container: ports, workers: 0 }));
  expect(result.spec.template!.spec!.containers).toEqual([
    { name: 'training', ports: [{ containerPort: 9090 }, { containerPort: 29500, name: 'mine', protocol: 'UDP' }] },
  ]);
  noteAt(result, 'changed', 'spec.pytorchReplicaSpecs.Master.template.spec.containers[0].ports');
  expect(migrated(pytorchJob({ container: 'ports: [{ containerPort: 29500 }]' })).spec.template).toBeUndefined();
});

describe('host names', () => {
  test('of the master become its variable, in commands, arguments and variables', () => {
    const job = migrated(pytorchJob({ container: 'args: ["--a=mnist-master-0:1", "http://mnist-master-0.ml.svc.cluster.local/x", "my-mnist-master-0", "mnist-master-01"], env: [{ name: H, value: mnist-master-0 }]', metadata: 'namespace: ml' }));
    expect(job.spec.args).toEqual(['--a=$(MASTER_ADDR):1', 'http://$(MASTER_ADDR)/x', 'my-mnist-master-0', 'mnist-master-01']);
    expect(job.spec.env).toEqual([{ name: 'H', value: '$(MASTER_ADDR)' }]);
  });

  test('of others are told by their new names', () => {
    const job = migrated(pytorchJob({ container: 'args: [mnist-worker-1]' }));
    expect(job.spec.args).toEqual(['mnist-worker-1']);
    expect(noteAt(job, 'differs', `${MASTER}.containers[0].args[0]`).message).toContain('mnist-worker-1.mnist with the operator');
  });

  test('in other containers are told', () => {
    const job = migrated(pytorchJob({ pod: 'initContainers: [{ name: wait, image: i, args: [mnist-master-0] }]' }));
    expect(noteAt(job, 'differs', `${MASTER}.initContainers`)).toMatchObject({ value: 'mnist-master-0', message: expect.stringContaining('mnist-master with the operator') });
  });
});

test('a name that is too long breaks a rule, and is kept', () => {
  const job = migratedUnchecked(pytorchJob().replace('name: mnist', `name: ${'x'.repeat(60)}`));
  expect(job.name).toBe('x'.repeat(60));
});

test('names that the API server makes are fixed', () => {
  const job = migrated(pytorchJob().replace('name: mnist', 'generateName: mnist-'));
  expect(job.name).toBe('mnist');
  noteAt(job, 'differs', 'metadata.generateName');
});

test('what the API server wrote is left out in one note', () => {
  const yaml = pytorchJob({ metadata: 'uid: u, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [], annotations: { kubectl.kubernetes.io/last-applied-configuration: x, a: b }, ownerReferences: [{ kind: X }]' })
    + 'status: { conditions: [] }\n';
  const job = migrated(yaml);
  expect(job.annotations).toEqual({ a: 'b' });
  expect(noteAt(job, 'changed', 'metadata').message).toMatch(/^uid, resourceVersion, creationTimestamp, managedFields, kubectl.kubernetes.io\/last-applied-configuration, status: left out/);
  noteAt(job, 'lost', 'metadata.ownerReferences');
  expect(notesOf(job).filter((note) => note.startsWith('lost'))).toEqual(['lost metadata.ownerReferences']);
});

test('fields that no reader knows are told with their path and value', () => {
  const job = migrated(pytorchJob({ spec: 'frobnicate: { a: [1] }\nrunPolicy: { retries: 3 }' }));
  expect(noteAt(job, 'lost', 'spec.frobnicate').value).toEqual({ a: [1] });
  expect(noteAt(job, 'lost', 'spec.runPolicy.retries').value).toBe(3);
});
