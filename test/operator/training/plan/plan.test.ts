import { FRAMEWORK_NAMES, type FrameworkName } from '../../../../src/model/training-job/spec';
import { makeJob, makePod, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const PLAIN_WORKERS = ['train-worker-0', 'train-worker-1', 'train-worker-2'];
const MASTER_AND_WORKERS = ['train-master', 'train-worker-0', 'train-worker-1'];
const LAUNCHER_AND_WORKERS = ['train-launcher', ...PLAIN_WORKERS];

/** Pods and services of each framework's short form of three. */
const SHORT_FORMS: { readonly [framework in FrameworkName]: { readonly pods: readonly string[]; readonly services: readonly string[] } } = {
  pytorch: { pods: MASTER_AND_WORKERS, services: ['train-master'] },
  tensorflow: { pods: MASTER_AND_WORKERS, services: ['train-master', 'train'] },
  mxnet: { pods: MASTER_AND_WORKERS, services: ['train-master', 'train'] },
  jax: { pods: PLAIN_WORKERS, services: ['train'] },
  xgboost: { pods: MASTER_AND_WORKERS, services: ['train-master', 'train'] },
  lightgbm: { pods: MASTER_AND_WORKERS, services: ['train-master', 'train'] },
  mpi: { pods: LAUNCHER_AND_WORKERS, services: ['train'] },
  horovod: { pods: LAUNCHER_AND_WORKERS, services: ['train'] },
  deepspeed: { pods: LAUNCHER_AND_WORKERS, services: ['train'] },
  paddle: { pods: PLAIN_WORKERS, services: ['train'] },
  plain: { pods: PLAIN_WORKERS, services: ['train'] },
};

describe('a new job', () => {
  it.each(FRAMEWORK_NAMES)('of %s gets its objects, then all its pods at once, in the order of ranks', (framework) => {
    const job = new PlannedJob(makeJob().framework(framework, 3)).pass();

    expect(job.actions[0]).toEqual({ type: 'ensureObjects' });
    expect(job.created).toEqual(SHORT_FORMS[framework].pods);
    expect(job.services).toEqual(SHORT_FORMS[framework].services);
    expect(job.actions.every((action) => action.type !== 'createPod' || action.attempt === 0)).toBe(true);
    expect(job.pass().actions).toEqual([]);
  });

  it.each<[string, JobBuilder, readonly string[]]>([
    ['TensorFlow', makeJob().spec({ framework: 'tensorflow' }).roles({ ps: 1, worker: 2, evaluator: 1, chief: 1 }),
      ['train-chief', 'train-worker-0', 'train-worker-1', 'train-ps-0', 'train-evaluator-0']],
    ['MXNet', makeJob().spec({ framework: 'mxnet' }).roles({ worker: 2, server: 2, scheduler: 1 }),
      ['train-scheduler', 'train-worker-0', 'train-worker-1', 'train-server-0', 'train-server-1']],
    ['plain', makeJob().spec({ framework: 'plain' }).roles({ learner: 1, actor: 2 }), ['train-learner-0', 'train-actor-0', 'train-actor-1']],
  ])('of %s in long form gets the pods of every role', (_, builder, pods) => {
    expect(new PlannedJob(builder).pass().created).toEqual(pods);
  });

  it('gets a missing service when its pods are there already', () => {
    const job = new PlannedJob(makeJob().tensorflow(3)).run();
    job.services = ['train-master'];

    expect(job.pass().actions).toEqual([{ type: 'ensureObjects' }]);
    expect(job.pass().actions).toEqual([]);
  });

  it('gets the pods that are missing, and no others', () => {
    const job = new PlannedJob(makeJob().pytorch(3));
    job.pods.set('train-worker-0', makePod('train-worker-0').build());

    expect(job.pass().created).toEqual(['train-master', 'train-worker-1']);
  });

  it('says who it is: phase, counts, selector for kubectl scale and kubectl logs', () => {
    expect(new PlannedJob(makeJob().pytorch(3).generation(4)).pass().status).toEqual({
      phase: 'Pending', observedGeneration: 4, startTime: '2026-03-01T12:00:00Z', replicas: 3, ready: '0/3', selector: 'job=train', attempt: 0, attemptStarted: false,
      restarts: 0, disruptions: 0, nextRetryTime: undefined, replacing: undefined,
      workerStatuses: [
        { role: 'master', replicas: 1, pending: 0, running: 0, succeeded: 0, failed: 0, succeededIndexes: undefined },
        { role: 'worker', replicas: 2, pending: 0, running: 0, succeeded: 0, failed: 0, succeededIndexes: undefined },
      ],
      conditions: [
        {
          type: 'Created', status: 'True', reason: 'JobCreated', message: 'The operator has accepted the job',
          lastTransitionTime: '2026-03-01T12:00:00Z', observedGeneration: 4,
        },
        {
          type: 'Running', status: 'False', reason: 'ReplicasMissing', message: '0 of 3 replicas are running',
          lastTransitionTime: '2026-03-01T12:00:00Z', observedGeneration: 4,
        },
      ],
    });
  });
});

describe('a job that gets on', () => {
  it('is Pending, then Running when every replica runs, then Completed', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).pass();
    expect(job.status).toMatchObject({ phase: 'Pending', ready: '0/2' });

    job.after(5).set((pod) => pod.running(), 'train-master').pass();
    expect(job.status).toMatchObject({ phase: 'Pending', ready: '1/2', attemptStarted: false });
    expect(job.condition('Running')?.message).toBe('1 of 2 replicas are running');

    job.after(5).set((pod) => pod.running(), 'train-worker-0').pass();
    expect(job.status).toMatchObject({ phase: 'Running', ready: '2/2', attemptStarted: true });
    expect(job.condition('Running')).toMatchObject({ status: 'True', reason: 'AllReplicasRunning', lastTransitionTime: '2026-03-01T12:00:10Z' });

    job.after(60).set((pod) => pod.succeeded(), 'train-master').pass();
    expect(job.status).toMatchObject({ phase: 'Completed', completionTime: '2026-03-01T12:01:10Z', startTime: '2026-03-01T12:00:00Z', ready: '2/2' });
    expect(job.condition('Running')).toMatchObject({ status: 'False', reason: 'JobSucceeded', lastTransitionTime: '2026-03-01T12:01:10Z' });
  });

  it('says what its first pod that cannot start waits for', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).pass();

    job.set((pod) => pod.running(), 'train-master').set((pod) => pod.waiting('Unschedulable: 0/3 nodes have nvidia.com/gpu'), 'train-worker-0').pass();

    expect(job.condition('Running')?.message).toBe('1 of 2 replicas are running; train-worker-0 waits: Unschedulable: 0/3 nodes have nvidia.com/gpu');
  });

  it('publishes nothing while nothing is worth a word', () => {
    expect(new PlannedJob(makeJob().pytorch(2)).run().events).toEqual([]);
  });

  it('removes pods that it has no replica for, once', () => {
    const job = new PlannedJob(makeJob().pytorch(1)).run();
    job.pods.set('train-worker-7', makePod('train-worker-7').running().build());
    job.pods.set('train-worker-8', makePod('train-worker-8').running().deleting().build());

    expect(job.plan().actions).toEqual([{ type: 'deletePod', name: 'train-worker-7', uid: 'train-worker-7-uid', reason: 'the job has no such replica' }]);
  });

  it('waits when its pods are newer than the status that was read', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).run();
    job.pods.set('train-master', makePod('train-master').attempt(1).failed(1).build());

    expect(job.plan()).toEqual({
      status: job.status, decided: false, actions: [], events: [], requeueAfterMs: 500, laterPods: ['train-master-uid'],
    });
  });

  it('does not wait for pods of an attempt that it has not come to: they are deleted, and it starts again as ever', () => {
    const job = new PlannedJob(makeJob().pytorch(2).restartPolicy('OnFailure')).run();
    job.pods.set('train-worker-9', makePod('train-worker-9').attempt(99).forged().build());

    expect(job.pass().actions).toEqual([{ type: 'deletePod', name: 'train-worker-9', uid: 'train-worker-9-uid', reason: 'the job has no such replica' }]);
    job.pods.set('train-worker-9', makePod('train-worker-9').attempt(99).forged().build());
    job.set((pod) => pod.failed(1), 'train-worker-0').settle().after(60).settle();
    expect(job.status).toMatchObject({ attempt: 1, restarts: 1 });
    expect([...job.pods.values()].map(({ name, attempt }) => [name, attempt])).toEqual([['train-master', 1], ['train-worker-0', 1]]);
  });
});

describe('planning again', () => {
  const stages: readonly [string, (job: PlannedJob) => PlannedJob][] = [
    ['new', (job) => job.settle()],
    ['running', (job) => job.run()],
    ['with a replica that has succeeded', (job) => job.run().set((pod) => pod.succeeded(), 'train-worker-0').pass()],
    ['restarting', (job) => job.run().set((pod) => pod.failed(1), 'train-worker-0').pass()],
    ['disrupted', (job) => job.run().lose('train-worker-1').settle()],
    ['suspended', (job) => job.run().edit({ suspend: true }).settle()],
    ['resumed', (job) => job.run().edit({ suspend: true }).settle().edit({ suspend: false }).settle()],
    ['completed', (job) => job.run().setAll((pod) => pod.succeeded()).settle()],
    ['failed', (job) => job.run().set((pod) => pod.failed(143), 'train-worker-0').settle()],
    ['refused', (job) => job.edit({ image: '' }).pass()],
  ];

  it.each((['pytorch', 'plain'] as const).flatMap((framework) => stages.map(([stage, bring]) => [framework, stage, bring] as const)))(
    'a %s job that is %s gives the same status, nothing to do and nothing to tell', (framework, _, bring) => {
      const job = bring(new PlannedJob(makeJob().framework(framework, 3).restartPolicy('OnFailure').exitCodes({ fail: [143] }).backoff({ initialSeconds: 60 })));
      const before = job.status;
      const events = job.events.length;

      job.after(30).pass();

      expect(JSON.parse(JSON.stringify(job.status))).toEqual(JSON.parse(JSON.stringify(before)));
      expect(job.actions).toEqual([]);
      expect(job.events).toHaveLength(events);
    },
  );

  it('decides once: no decision follows the same decision', () => {
    const job = new PlannedJob(makeJob().pytorch(2).restartPolicy('OnFailure')).run().set((pod) => pod.failed(1), 'train-master');
    const first = job.plan();
    expect(first).toMatchObject({ decided: true, actions: [] });

    job.job = { ...job.job, status: first.status };

    expect(job.plan().decided).toBe(false);
  });
});

describe('the deadline', () => {
  it('ends the job, whatever state it is in', () => {
    const job = new PlannedJob(makeJob().pytorch(2).deadline(300)).pass();
    expect(job.requeueAfterMs).toBe(300_000);
    job.after(299).pass();
    expect(job.requeueAfterMs).toBe(1_000);
    expect(job.status.phase).toBe('Pending');

    job.after(1).pass();

    expect(job.condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded', message: 'ran longer than spec.runPolicy.activeDeadlineSeconds (300)' });
    expect(job.deleted).toEqual(MASTER_AND_WORKERS.slice(0, 2));
  });

  it('comes after a pause that is shorter', () => {
    const job = new PlannedJob(makeJob().pytorch(1).restartPolicy('OnFailure').deadline(300)).run().set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.requeueAfterMs).toBe(10_000);
  });

  it('does not undo a success that came first', () => {
    const job = new PlannedJob(makeJob().pytorch(1).deadline(300)).run().after(301).set((pod) => pod.succeeded(), 'train-master').pass();

    expect(job.status.phase).toBe('Completed');
  });
});

describe('a spec that is not valid', () => {
  it('fails the job and names every field that is wrong', () => {
    const job = new PlannedJob(makeJob().spec({ framework: 'pytroch' as never, replicas: 0 }).generation(2)).pass();

    expect(job.status).toMatchObject({ phase: 'Failed', observedGeneration: 2 });
    expect(job.condition('Failed')).toMatchObject({ status: 'True', reason: 'InvalidSpec', observedGeneration: 2 });
    expect(job.condition('Failed')?.message).toMatch(/spec\.framework.*pytroch/);
    expect(job.condition('Failed')?.message).toMatch(/spec\.replicas: 0/);
    expect(job.actions).toEqual([]);
  });

  it('that no schema has seen does not make the planner throw', () => {
    for (const spec of [{}, { framework: 'pytorch' }, { framework: 'pytorch', image: 'a', replicas: 1, runPolicy: null }, { roles: 'many' }, { runPolicy: 'none' }]) {
      const job = new PlannedJob(makeJob());
      job.job = { ...job.job, spec: spec as never };

      expect(job.pass().condition('Failed')?.reason).toBe('InvalidSpec');
      expect(job.pass().actions).toEqual([]);
    }
  });
});

describe('a problem of the executor', () => {
  it('that can pass is told in Created, and again when it has passed', () => {
    const job = new PlannedJob(makeJob().pytorch(1)).pass([{ reason: 'Forbidden', message: 'exceeded quota: gpus', permanent: false }]);
    expect(job.status.phase).toBe('Pending');
    expect(job.condition('Created')).toMatchObject({ status: 'False', reason: 'Forbidden', message: 'exceeded quota: gpus' });

    job.after(5).pass();

    expect(job.condition('Created')).toMatchObject({ status: 'True', reason: 'JobCreated', lastTransitionTime: '2026-03-01T12:00:05Z' });
  });

  it('that cannot pass ends the job', () => {
    const job = new PlannedJob(makeJob().pytorch(1)).pass([
      { reason: 'Forbidden', message: 'exceeded quota', permanent: false },
      { reason: 'InvalidPod', message: 'spec.containers[0].image: Required value', permanent: true },
    ]);

    expect(job.status.phase).toBe('Failed');
    expect(job.condition('Failed')).toMatchObject({ reason: 'InvalidPod', message: 'spec.containers[0].image: Required value' });
  });
});

describe('status.ready', () => {
  it('is true at each moment of a restart: written with the decision, and not with the pods that follow', () => {
    const job = new PlannedJob(makeJob().pytorch(4).restartPolicy('OnFailure')).run();
    expect(job.status.ready).toBe('4/4');

    job.set((pod) => pod.failed(1), 'train-worker-0');
    const planned = job.plan();
    expect(planned).toMatchObject({ decided: true, status: { attempt: 1, ready: '0/4' } });
  });

  it('counts the others of independent replicas while one is replaced', () => {
    const job = new PlannedJob(makeJob().plain(3).restartPolicy('OnFailure')).run();

    expect(job.set((pod) => pod.failed(1), 'train-worker-1').plan()).toMatchObject({ decided: true, status: { ready: '2/3' } });
  });

  it('is 0 of a job that is suspended', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).run().edit({ suspend: true });

    expect(job.plan()).toMatchObject({ decided: true, status: { phase: 'Suspended', ready: '0/2' } });
  });
});
