import { describeOperator } from '../support/operator-suite';
import { eventually, mustRequest } from '../support/cluster';
import { jobsPath } from '../support/submit';
import { conditionOf } from '../support/training-jobs';

const suite = describeOperator();

const ELASTIC = { replicas: 3, elastic: { minReplicas: 2, maxReplicas: 5 }, runPolicy: { restartPolicy: 'OnFailure' as const } };

/** What `kubectl scale` sends. */
async function scale(name: string, replicas: number): Promise<void> {
  await mustRequest('PATCH', `${jobsPath(suite.namespace)}/${name}/scale`, { spec: { replicas } }, 'application/merge-patch+json');
}

async function uidsOf(job: string, count: number): Promise<Map<string, string | undefined>> {
  return new Map((await suite.kubelet.pods(job, count)).map(({ metadata }) => [metadata.name, metadata.uid]));
}

test('an elastic job goes on without a lost worker, and takes the replacement in', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', ELASTIC);
  await kubelet.runAll('net', 3);
  await jobs.untilCondition('net', 'Running');
  const before = await uidsOf('net', 3);

  await api.remove('pods', namespace, 'net-worker-1');
  const shrunk = await jobs.until('net', 'smaller', ({ disruptions, worldSize }) => disruptions === 1 && worldSize?.replicas === 2);
  expect(shrunk.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 0, worldSize: { replicas: 2, processes: 2 } });
  expect(conditionOf(shrunk, 'Running')).toMatchObject({ status: 'True', reason: 'RunningBelowDesired' });
  const after = await eventually('the replacement', async () => {
    const pods = await uidsOf('net', 3);
    return pods.get('net-worker-1') !== before.get('net-worker-1') && pods;
  });
  expect([after.get('net-master'), after.get('net-worker-0')]).toEqual([before.get('net-master'), before.get('net-worker-0')]);

  await kubelet.run('net-worker-1');
  const grown = await jobs.until('net', 'whole again', ({ worldSize }) => worldSize?.replicas === 3);
  expect(conditionOf(grown, 'Running')).toMatchObject({ status: 'True', reason: 'AllReplicasRunning' });
  expect(grown.status!.attempt).toBe(0);
});

test('the scale subresource adds workers at the top and takes them away there', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', ELASTIC);
  await kubelet.runAll('net', 3);
  await jobs.untilCondition('net', 'Running');

  await scale('net', 5);
  const grown = await uidsOf('net', 5);
  expect([...grown.keys()].sort()).toEqual(['net-master', 'net-worker-0', 'net-worker-1', 'net-worker-2', 'net-worker-3']);
  await kubelet.runAll('net', 5);
  await jobs.until('net', 'five', ({ worldSize }) => worldSize?.replicas === 5);

  await scale('net', 2);
  const shrunk = await uidsOf('net', 2);
  expect([...shrunk]).toEqual([['net-master', grown.get('net-master')], ['net-worker-0', grown.get('net-worker-0')]]);
  const job = await jobs.until('net', 'two', ({ worldSize }) => worldSize?.replicas === 2);
  expect(job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 0, disruptions: 0, replicas: 2, ready: '2/2' });

  const { body } = await mustRequest('GET', `${jobsPath(suite.namespace)}/net/scale`);
  expect(body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: 'job=net' } });
});

test('the loss of the master starts all replicas again, at another rendezvous', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', ELASTIC);
  await kubelet.runAll('net', 3);
  await jobs.untilCondition('net', 'Running');
  await api.remove('pods', namespace, 'net-master');
  const job = await jobs.until('net', 'in its second attempt', ({ attempt }) => attempt === 1);
  expect(job.status).toMatchObject({ disruptions: 1, restarts: 0 });
  await eventually('three pods of the second attempt', async () => (await api.list('pods', namespace, 'job=net,ml.collabnix.io/attempt=1')).length === 3);
  const [pod] = await api.list('pods', namespace, 'job=net,role=worker');
  expect(pod.spec.containers[0].env).toContainEqual({ name: 'PET_RDZV_ID', value: 'net-1' });
});

test('an autoscaler reads the scale of an elastic job', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', { ...ELASTIC, framework: 'horovod', nprocPerNode: 2 });
  await kubelet.runAll('net', 4);
  await jobs.untilCondition('net', 'Running');
  const autoscalers = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
  await mustRequest('POST', autoscalers, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'net', namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net' },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    },
  });
  const { body } = await mustRequest('GET', `${jobsPath(namespace)}/net/scale`);
  expect(body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 3, selector: 'job=net,role=worker' } });
  // What it selects are the pods that it counts: the launcher is none of them.
  expect(await api.list('pods', namespace, (body.status as { selector: string }).selector)).toHaveLength(3);
});

test('the launcher of elastic Horovod is told how to find its workers, and trains on while one is replaced', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', { ...ELASTIC, framework: 'horovod', nprocPerNode: 2 });
  await kubelet.runAll('net', 4);
  await jobs.untilCondition('net', 'Running');
  const launcher = await api.get('pods', namespace, 'net-launcher');
  expect(launcher.spec.containers[0].env).toEqual(expect.arrayContaining([
    { name: 'HOROVOD_MIN_NP', value: '4' }, { name: 'HOROVOD_MAX_NP', value: '10' },
    { name: 'HOROVOD_HOST_DISCOVERY_SCRIPT', value: '/etc/mpi/discover_hosts.sh' },
  ]));
  const files = await api.list('configmaps', namespace) as { data?: { [file: string]: string } }[];
  expect(files.flatMap(({ data }) => Object.keys(data ?? {}))).toContain('discover_hosts.sh');
  const before = await uidsOf('net', 4);
  await api.remove('pods', namespace, 'net-worker-1');
  const shrunk = await jobs.until('net', 'smaller', ({ disruptions, worldSize }) => disruptions === 1 && worldSize?.replicas === 2);
  expect(shrunk.status).toMatchObject({ phase: 'Running', attempt: 0, worldSize: { replicas: 2, processes: 4 } });
  await eventually('the replacement', async () => (await uidsOf('net', 4)).get('net-worker-1') !== before.get('net-worker-1'));
  await kubelet.run('net-worker-1');
  const grown = await jobs.until('net', 'whole again', ({ worldSize }) => worldSize?.replicas === 3);
  expect(grown.status).toMatchObject({ attempt: 0, restarts: 0 });
  expect((await uidsOf('net', 4)).get('net-launcher')).toBe(before.get('net-launcher'));
});
