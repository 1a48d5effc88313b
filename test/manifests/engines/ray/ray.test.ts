import { rayEngine, type RayEngineSettings } from '../../../../src/manifests/engines/ray';
import { LAUNCH_STATE_PATH } from '../../../../src/manifests/engines/launched/launched-container';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../../src/manifests/kubernetes';
import { typedPodTemplate } from '../../../../src/manifests/pod/typed-pod';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const JOB: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 3, command: ['python', 'train.py'] };

function render(over: Partial<TrainingJobSpec> = {}, settings: RayEngineSettings = {}) {
  const spec = { ...JOB, ...over };
  const engine = rayEngine(settings);
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', labels: { owner: 'me' }, spec });
  const { rayClusterSpec: cluster, ...rest } = job.spec as Rendered;
  return {
    job: job as Rendered, spec: rest as Rendered, cluster: cluster as Rendered, companions: companions as Rendered[],
    head: cluster.headGroupSpec as Rendered, groups: cluster.workerGroupSpecs as Rendered[],
    plan: JSON.parse((companions.find(({ kind }) => kind === 'ConfigMap') as ConfigMap).data!['plan.json']) as Rendered,
  };
}

describe('a RayJob', () => {
  test('is whole', () => {
    const { job, companions } = render();
    // The driver's text is tested by running it.
    const shown = companions.map((object) => (object.kind === 'ConfigMap' ? { ...object, data: { ...object.data, 'driver.py': '...' } } : object));
    expect([job, ...shown]).toMatchSnapshot();
  });

  test('has a worker group for each role, with a Ray node for each replica, all of them at once', () => {
    const { job, groups } = render();
    expect(job).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'net', namespace: 'team', labels: { job: 'net' } } });
    expect(groups).toMatchObject([
      { groupName: 'master', replicas: 1, minReplicas: 1, maxReplicas: 1, rayStartParams: { resources: '\'{"trainyard-master":1}\'' } },
      { groupName: 'worker', replicas: 2, minReplicas: 2, maxReplicas: 2, rayStartParams: { resources: '\'{"trainyard-worker":1}\'' } },
    ]);
  });

  test('says of its groups what KubeRay would add, and nothing as KubeRay would not write it, so that a second apply changes nothing', () => {
    const sidecar = { name: 'logs', image: 'logs', env: [{ name: 'EMPTY', value: '' }] };
    const { spec, head, groups } = render({
      resources: { cpu: '0.5', memory: '2048Mi' }, template: { spec: { containers: [sidecar], volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] } },
    });
    for (const group of groups) {
      expect(group).toMatchObject({ numOfHosts: 1, priority: 0, scaleStrategy: {} });
      expect(group.template.spec.initContainers.at(-1)).toMatchObject({ name: 'logs', env: [{ name: 'EMPTY' }], resources: {} });
      expect(group.template.spec.containers[0].resources.limits).toEqual({ cpu: '500m', memory: '2Gi' });
    }
    for (const { template } of [head, ...groups, { template: spec.submitterPodTemplate }]) {
      expect(typedPodTemplate(template)).toEqual(template);
    }
  });

  test('submits a driver to a head that runs nothing else', () => {
    const { spec, head, companions } = render();
    expect(spec).toMatchObject({ entrypoint: 'python3 -u /etc/trainyard/launch/driver.py', submissionMode: 'K8sJobMode', backoffLimit: 0, shutdownAfterJobFinishes: true });
    expect(head.rayStartParams).toEqual({ 'num-cpus': '0', 'num-gpus': '0' });
    const [container] = head.template.spec.containers;
    expect(container).toMatchObject({ image: 'image', resources: { requests: { cpu: '1', memory: '4Gi' }, limits: { cpu: '1', memory: '4Gi' } } });
    expect(container.volumeMounts).toEqual([{ name: 'trainyard-driver', mountPath: '/etc/trainyard/launch', readOnly: true }]);
    expect(head.template.spec.volumes).toEqual([{ name: 'trainyard-driver', configMap: { name: 'net-ray' } }]);
    expect(companions.map(({ kind, metadata }) => [kind, metadata.name, metadata.labels])).toEqual([
      ['ConfigMap', 'net-ray', { 'owner': 'me', 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard' }],
    ]);
    expect(Object.keys(companions[0].data)).toEqual(['driver.py', 'plan.json']);
  });

  test('has the program in the plan, and Ray in the container', () => {
    const { groups, plan } = render({ args: ['--epochs=3'], workingDir: '/src', resources: { gpu: 8, cpu: '4' } });
    const [container] = groups[1].template.spec.containers;
    expect(container).toMatchObject({ name: 'training', image: 'image', workingDir: '/src', resources: { limits: { 'nvidia.com/gpu': '8', 'cpu': '4' } } });
    expect(container.command).toBeUndefined();
    expect(container.args).toBeUndefined();
    expect(plan.groups.map(({ command }: Rendered) => command)).toEqual([['python', 'train.py', '--epochs=3'], ['python', 'train.py', '--epochs=3']]);
    expect(plan).toMatchObject({ job: 'net', scope: 'gang', success: { ordinals: [[0, 0]], one: false }, graceSeconds: 30, attemptVariable: 'TRAINYARD_ATTEMPT' });
  });

  test('leaves memory to the kernel, unless the job says otherwise', () => {
    const monitor = (over: Partial<TrainingJobSpec>) => render(over).groups[0].template.spec.containers[0].env
      .filter(({ name }: Rendered) => name === 'RAY_memory_monitor_refresh_ms').map(({ value }: Rendered) => value);
    expect(monitor({})).toEqual(['0']);
    expect(monitor({ env: [{ name: 'RAY_memory_monitor_refresh_ms', value: '250' }] })).toEqual(['250']);
  });

  test('tells a program that its pod is to go, after what the job wants to be done before', () => {
    const preStop = (lifecycle?: object) => {
      const template = { spec: { containers: [{ name: 'training', ...(lifecycle && { lifecycle }) }] } };
      return render({ template }).groups[0].template.spec.containers[0].lifecycle.preStop.exec.command.slice(3);
    };
    expect(preStop()).toEqual(['trainyard-stop']);
    expect(preStop({ preStop: { exec: { command: ['save', '--all'] } } })).toEqual(['trainyard-stop', 'save', '--all']);
    expect(preStop({ preStop: { sleep: { seconds: 5 } } })).toEqual(['trainyard-stop', 'sleep', '5']);
    const { spec } = render({ checkpoint: { gracePeriodSeconds: 120 } }).groups[0].template;
    expect(spec).toMatchObject({ terminationGracePeriodSeconds: 120, restartPolicy: 'Never' });
    expect(spec.volumes).toContainEqual({ name: 'trainyard-launch', emptyDir: { sizeLimit: '1Mi' } });
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'trainyard-launch', mountPath: LAUNCH_STATE_PATH });
  });

  test('leaves restarts to the driver, and only lost heads to KubeRay', () => {
    const { spec, plan } = render({
      runPolicy: {
        restartPolicy: 'ExitCode', backoffLimit: 2, backoff: { initialSeconds: 1, maxSeconds: 5 }, exitCodes: { recover: [3], retry: [4], fail: [5] },
        disruptionLimit: 7, activeDeadlineSeconds: 3600,
      },
      checkpoint: { gracePeriodSeconds: 60 },
    }, { clusterRetries: 2 });
    expect(spec).toMatchObject({ backoffLimit: 2, activeDeadlineSeconds: 3600 });
    expect(plan).toMatchObject({
      groups: [{ restartPolicy: 'ExitCode' }, { restartPolicy: 'ExitCode' }], backoffLimit: 2, backoff: { initialSeconds: 1, maxSeconds: 5, resetAfterSeconds: 600 },
      exitCodes: { recover: [3], retry: [4], fail: [5] }, disruptionLimit: 7, graceSeconds: 60,
    });
    expect(render({ framework: 'plain' }).plan).toMatchObject({ scope: 'replica', disruptionLimit: null });
  });

  test('gives its cluster back at once and is itself deleted after a time', () => {
    const { spec } = render({ runPolicy: { ttlSecondsAfterFinished: 600 } });
    expect(spec.shutdownAfterJobFinishes).toBeUndefined();
    expect(spec.ttlSecondsAfterFinished).toBeUndefined();
    expect(spec.deletionStrategy.deletionRules).toEqual([{ jobStatus: 'SUCCEEDED' }, { jobStatus: 'FAILED' }, { jobDeploymentStatus: 'Failed' }].flatMap((end) => [
      { policy: 'DeleteCluster', condition: { ...end, ttlSeconds: 0 } }, { policy: 'DeleteSelf', condition: { ...end, ttlSeconds: 600 } },
    ]));
  });

  test('keeps its pods where it is told to', () => {
    expect(render({ runPolicy: { cleanPodPolicy: 'None' } }).spec).toMatchObject({ shutdownAfterJobFinishes: false });
    const { deletionRules } = render({ runPolicy: { cleanPodPolicy: 'None', ttlSecondsAfterFinished: 60 } }).spec.deletionStrategy;
    expect(deletionRules.map(({ policy }: Rendered) => policy)).toEqual(['DeleteSelf', 'DeleteSelf', 'DeleteSelf']);
  });

  test('is queued by Kueue, which suspends it itself', () => {
    const { job, spec } = render({ scheduling: { queueName: 'research', queuePriorityClassName: 'high', topology: { key: 'rack' } } });
    expect(job.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research', 'kueue.x-k8s.io/priority-class': 'high' });
    expect(spec.suspend).toBeUndefined();
    expect(render({ suspend: true }).spec.suspend).toBe(true);
    expect(render({ managedBy: 'kueue.x-k8s.io/multikueue' }).spec.managedBy).toBe('kueue.x-k8s.io/multikueue');
    expect(render({ managedBy: 'ml.collabnix.io/trainyard-operator' }).spec.managedBy).toBeUndefined();
  });

  test('keeps its replicas together, and neither the head nor who submits', () => {
    const { head, groups, spec } = render({ scheduling: { topology: { key: 'rack' } } });
    const [{ labelSelector }] = groups[0].template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(groups[0].template.metadata.labels).toMatchObject(labelSelector.matchLabels);
    for (const template of [head.template, spec.submitterPodTemplate]) {
      expect(template.metadata.labels).toEqual({ 'owner': 'me', 'job': 'net', 'sidecar.istio.io/inject': 'false' });
      expect(template.spec.affinity).toBeUndefined();
    }
  });

  test.each<[RayEngineSettings['batchScheduler'], NonNullable<NonNullable<TrainingJobSpec['scheduling']>['gang']>, object]>([
    ['volcano', { scheduler: 'Volcano', queue: 'gpu' }, { 'volcano.sh/queue-name': 'gpu' }],
    ['kai-scheduler', { scheduler: 'Kai', queue: 'gpu' }, { 'kai.scheduler/queue': 'gpu' }],
    ['yunikorn', { scheduler: 'YuniKorn', queue: 'root.gpu' }, { 'yunikorn.apache.org/queue': 'root.gpu', 'ray.io/gang-scheduling-enabled': 'true' }],
    ['scheduler-plugins', { scheduler: 'Coscheduling' }, { 'ray.io/gang-scheduling-enabled': 'true' }],
  ])('is a gang of %s', (batchScheduler, gang, labels) => {
    const { job, companions } = render({ scheduling: { gang } }, { batchScheduler });
    expect(job.metadata.labels).toEqual({ 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard', ...labels });
    expect(companions.map(({ kind }) => kind)).toEqual(['ConfigMap']);
  });

  test('tells Volcano the priority of the gang', () => {
    const { job } = render({ scheduling: { gang: { scheduler: 'Volcano' }, priorityClassName: 'high' } }, { batchScheduler: 'volcano' });
    expect(job.metadata.labels['ray.io/priority-class-name']).toBe('high');
  });

  test('lets KubeRay through its firewall to the head', () => {
    const { companions } = render({ security: { networkPolicy: {} } });
    expect(companions.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ConfigMap net-ray', 'NetworkPolicy net', 'NetworkPolicy net-ray']);
    expect(companions[2].spec).toEqual({
      podSelector: { matchLabels: { 'job': 'net', 'ray.io/node-type': 'head' } },
      policyTypes: ['Ingress'],
      ingress: [{
        from: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/component': 'kuberay-operator' } } }],
        ports: [{ port: 8265, protocol: 'TCP' }],
      }],
    });
  });

  test('secures the head and who submits like the replicas, and pulls their images with the same secrets', () => {
    const { head, spec, groups } = render({
      security: { restricted: true, runAsUser: 1000 },
      template: { spec: { serviceAccountName: 'trainer', imagePullSecrets: [{ name: 'registry' }], containers: [{ name: 'training', imagePullPolicy: 'Always' }] } },
      scheduling: { tolerations: [{ key: 'spot', operator: 'Exists' }], nodeSelector: { pool: 'gpu' }, priorityClassName: 'high', schedulerName: 'mine' },
    });
    for (const { spec: pod } of [head.template, spec.submitterPodTemplate, groups[0].template]) {
      expect(pod).toMatchObject({
        serviceAccountName: 'trainer', imagePullSecrets: [{ name: 'registry' }], priorityClassName: 'high', schedulerName: 'mine',
        tolerations: [{ key: 'spot', operator: 'Exists' }],
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [{ imagePullPolicy: 'Always', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
      });
    }
    expect([head.template, groups[0].template].map(({ spec: { nodeSelector } }) => nodeSelector)).toEqual([undefined, { pool: 'gpu' }]);
  });

  test('keeps further containers beside Ray as sidecars', () => {
    const { spec } = render({ template: { spec: { containers: [{ name: 'logs', image: 'fluent-bit' }] } } }).groups[0].template;
    expect(spec.containers.map(({ name }: Rendered) => name)).toEqual(['training']);
    expect(spec.initContainers).toEqual([expect.objectContaining({ name: 'logs', restartPolicy: 'Always' })]);
  });

  test('has what its options say', () => {
    const { cluster, head, spec } = render({}, {
      head: { image: 'head', cpu: '4', memory: '16Gi', nodeSelector: { pool: 'stable' } }, rayVersion: '2.52.1', tokenAuthentication: true, submissionMode: 'SidecarMode',
    });
    expect(cluster).toMatchObject({ rayVersion: '2.52.1', authOptions: { mode: 'token' } });
    expect(head.template.spec).toMatchObject({ nodeSelector: { pool: 'stable' }, containers: [{ image: 'head', resources: { limits: { cpu: '4', memory: '16Gi' } } }] });
    expect(spec).toMatchObject({ submissionMode: 'SidecarMode' });
    expect(spec.submitterPodTemplate).toBeUndefined();
  });

  test('starts helpers beside the replicas, which are theirs to lose', () => {
    const { groups, plan } = render({ helpers: [{ name: 'actor', replicas: 2, image: 'sim', command: ['act'], onFailure: 'Ignore' }] });
    expect(groups.map(({ groupName }) => groupName)).toEqual(['master', 'worker', 'actor']);
    expect(groups[2].template.spec.containers[0].image).toBe('sim');
    expect(plan.groups.map(({ helper }: Rendered) => helper)).toEqual([null, null, 'Ignore']);
    expect(plan.success).toEqual({ ordinals: [[0, 0]], one: false });
  });

  test('says what each replica will see, with names in the place of addresses', () => {
    const environments = rayEngine().environments({ name: 'net', spec: JOB });
    expect(environments.map(({ role, index, pod }) => [role, index, pod])).toEqual([
      ['master', 0, 'net-*-master-worker-*'], ['worker', 0, 'net-*-worker-worker-*'], ['worker', 1, 'net-*-worker-worker-*'],
    ]);
    expect(Object.fromEntries(environments[2].env.map(({ name, value }) => [name, value])))
      .toMatchObject({ RANK: '2', WORLD_SIZE: '3', MASTER_ADDR: '<master-0>', MASTER_PORT: '29500', PET_NODE_RANK: '2', TRAINYARD_ATTEMPT: '0' });
  });
});
