import { errorOf, migrated, noteAt } from './migrating';

function rayJob(spec = '', cluster = '', group = 'replicas: 2'): string {
  return `
apiVersion: ray.io/v1
kind: RayJob
metadata: { name: tune }
spec:
  entrypoint: python tune.py --trials 4
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  rayClusterSpec:
    rayVersion: 2.46.0
${cluster.split('\n').map((line) => `    ${line}`).join('\n')}
    headGroupSpec:
      rayStartParams: { dashboard-host: 0.0.0.0 }
      template: { spec: { containers: [{ name: ray-head, image: "ray:2", resources: { limits: { cpu: 2, memory: 4Gi } } }] } }
    workerGroupSpecs:
    - groupName: Small_Group
      ${group}
      rayStartParams: { block: "true" }
      template: { spec: { containers: [{ name: ray-worker, image: "ray:2", resources: { limits: { nvidia.com/gpu: 1 } } }] } }
`;
}

test('a cluster of fixed size is a job: a head that submits the program and ends with it, and workers that join', () => {
  const job = migrated(rayJob('shutdownAfterJobFinishes: true\nttlSecondsAfterFinished: 60\nactiveDeadlineSeconds: 600\npreRunningDeadlineSeconds: 300'));
  expect(job.spec).toEqual({
    framework: 'plain',
    image: 'ray:2',
    roles: [
      {
        name: 'head', resources: { cpu: '2', memory: '4Gi' },
        command: ['/bin/bash', '-c', [
          'set -e',
          'ray start --head --port=6379 --dashboard-host=0.0.0.0 --disable-usage-stats --num-cpus=2',
          'until ray job list --address http://127.0.0.1:8265 > /dev/null 2>&1; do sleep 1; done',
          'ray job submit --address http://127.0.0.1:8265 -- python tune.py --trials 4',
        ].join('\n')],
      },
      {
        name: 'small-group', replicas: 2, resources: { gpu: 1 }, restartPolicy: 'OnFailure',
        command: ['/bin/bash', '-c', [
          'until ray health-check --address "$MASTER_ADDR:6379" > /dev/null 2>&1; do sleep 1; done',
          'exec ray start --address "$MASTER_ADDR:6379" --block --disable-usage-stats --num-gpus=1',
        ].join('\n')],
      },
    ],
    runPolicy: { successPolicy: 'Coordinator', preRunningDeadlineSeconds: 300, activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 60 },
  });
  expect(noteAt(job, 'differs', 'spec.rayClusterSpec').message).toContain('the job\'s own pods');
});

test('a runtime environment and the entrypoint\'s resources go with the submission', () => {
  const { roles } = migrated(rayJob('runtimeEnvYAML: "env_vars: {A: $(B)}"\nentrypointNumCpus: 1\nentrypointNumGpus: 0.5\nentrypointResources: \'{"a": 1}\'')).spec;
  const [head] = roles!;
  expect(head.env).toEqual([{ name: 'RAY_RUNTIME_ENV_YAML', value: 'env_vars: {A: $$(B)}' }]);
  expect(head.command?.[2].split('\n').at(-1)).toBe('ray job submit --address http://127.0.0.1:8265 --runtime-env /tmp/runtime-env.yaml --entrypoint-num-cpus 1 '
    + '--entrypoint-num-gpus 0.5 --entrypoint-resources \'{"a": 1}\' -- python tune.py --trials 4');
});

test('retries start the head again', () => {
  expect(migrated(rayJob('backoffLimit: 2')).spec).toMatchObject({ roles: [{ name: 'head' }, { name: 'small-group' }], runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2 } });
});

test('what makes a cluster change is lost, and groups without replicas go', () => {
  const job = migrated(rayJob('submitterPodTemplate: { spec: {} }', 'gcsFaultToleranceOptions: { redisAddress: r }', 'replicas: 0\n      maxReplicas: 5\n      idleTimeoutSeconds: 3'));
  expect(job.spec.replicas ?? job.spec.roles).toEqual([{ name: 'head' }]);
  ['spec.submitterPodTemplate', 'spec.rayClusterSpec.gcsFaultToleranceOptions', 'spec.rayClusterSpec.workerGroupSpecs[0].maxReplicas',
    'spec.rayClusterSpec.workerGroupSpecs[0].idleTimeoutSeconds'].forEach((path) => noteAt(job, 'lost', path));
});

test.each([
  ['another cluster', 'clusterSelector: { ray.io/cluster: c }', '', 'spec.clusterSelector: {"ray.io/cluster":"c"}: submits to an existing cluster'],
  ['somebody who submits', 'submissionMode: InteractiveMode', '', 'spec.submissionMode: "InteractiveMode": waits for a user'],
  ['an autoscaler', '', 'enableInTreeAutoscaling: true', 'spec.rayClusterSpec.enableInTreeAutoscaling: true: lets Ray change the number of its workers'],
])('a RayJob with %s cannot be a job, and the error says what to do', (_what, spec, cluster, message) => {
  const error = errorOf(rayJob(spec, cluster));
  expect(error).toContain(`RayJob tune: ${message}`);
  expect(error).toContain('Keep the RayJob');
});
