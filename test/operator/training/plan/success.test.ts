import { FRAMEWORK_NAMES, type FrameworkName } from '../../../../src/model/training-job/spec';
import { SUCCESS_POLICIES, type SuccessPolicy } from '../../../../src/model/training-job/run-policy';
import { makeJob, makePod, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

/** Which replicas make a job of each framework succeed, in its short form of three. */
const SHORT_FORMS: { readonly [framework in FrameworkName]: readonly string[] } = {
  pytorch: ['train-master'],
  tensorflow: ['train-master'],
  mxnet: ['train-master', 'train-worker-0', 'train-worker-1'],
  jax: ['train-worker-0', 'train-worker-1', 'train-worker-2'],
  xgboost: ['train-master'],
  lightgbm: ['train-master'],
  mpi: ['train-launcher'],
  horovod: ['train-launcher'],
  deepspeed: ['train-launcher'],
  paddle: ['train-worker-0', 'train-worker-1', 'train-worker-2'],
  plain: ['train-worker-0', 'train-worker-1', 'train-worker-2'],
};

/** Long forms that follow another rule than the short one. */
const LONG_FORMS: readonly [string, JobBuilder, readonly string[]][] = [
  ['PyTorch without a master needs all workers', makeJob().spec({ framework: 'pytorch' }).roles({ worker: 2 }), ['train-worker-0', 'train-worker-1']],
  ['TensorFlow with a chief needs the chief', makeJob().spec({ framework: 'tensorflow' }).roles({ ps: 1, worker: 2, chief: 1, evaluator: 1 }), ['train-chief']],
  ['TensorFlow without a chief needs worker 0', makeJob().spec({ framework: 'tensorflow' }).roles({ ps: 1, worker: 2 }), ['train-worker-0']],
  ['Paddle with a master needs the master', makeJob().spec({ framework: 'paddle' }).roles({ worker: 2, master: 1 }), ['train-master']],
  ['MXNet with a scheduler needs the workers, not scheduler and server', makeJob().spec({ framework: 'mxnet' }).roles({ scheduler: 1, server: 1, worker: 2 }),
    ['train-worker-0', 'train-worker-1']],
];

describe('a job has succeeded when the replicas that matter have', () => {
  const shortForms = FRAMEWORK_NAMES.map((framework) => [`${framework} in short form`, makeJob().framework(framework, 3), SHORT_FORMS[framework]] as const);

  it.each([...shortForms, ...LONG_FORMS])('%s', (_, builder, needed) => {
    const job = new PlannedJob(builder).run();
    expect(job.status.phase).toBe('Running');
    const [last, ...first] = [...needed].reverse();

    job.set((pod) => pod.succeeded(), ...first).pass();
    expect(job.status.phase).toBe('Running');
    // Not one of the others counts instead.
    job.set((pod) => pod.succeeded(), ...[...job.pods.keys()].filter((name) => !needed.includes(name))).pass();
    expect(job.status.phase).toBe('Running');
    job.set((pod) => pod.succeeded(), last).pass();

    expect(job.status.phase).toBe('Completed');
    expect(job.condition('Succeeded')).toMatchObject({ status: 'True', reason: 'JobSucceeded' });
    expect(job.condition('Running')?.status).toBe('False');
    expect(job.events).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'JobSucceeded' }));
  });

  it.each<[SuccessPolicy, readonly string[]]>([
    ['Coordinator', ['train-chief']],
    ['AllWorkers', ['train-chief', 'train-worker-0']],
    ['AllReplicas', ['train-chief', 'train-worker-0', 'train-ps-0']],
  ])('the success policy %s overrules the framework', (policy, needed) => {
    const job = new PlannedJob(makeJob().spec({ framework: 'tensorflow' }).roles({ chief: 1, worker: 1, ps: 1 }).successPolicy(policy)).run();

    job.set((pod) => pod.succeeded(), ...needed.slice(1)).pass();
    expect(job.status.phase).toBe('Running');
    job.set((pod) => pod.succeeded(), needed[0]).pass();

    expect(job.status.phase).toBe('Completed');
  });

  it('AnyWorker is content with one, whichever it is', () => {
    const job = new PlannedJob(makeJob().jax(3).successPolicy('AnyWorker')).run();

    job.set((pod) => pod.succeeded(), 'train-worker-2').pass();

    expect(job.condition('Succeeded')).toMatchObject({ status: 'True', message: 'train-worker-2 has succeeded' });
  });

  it.each(SUCCESS_POLICIES.filter((policy) => policy !== 'AnyWorker'))('%s: replicas that succeed one after the other, and whose pods are removed, count all the same', (policy) => {
    const job = new PlannedJob(makeJob().jax(3).successPolicy(policy)).run();

    for (const name of ['train-worker-2', 'train-worker-1', 'train-worker-0']) {
      job.set((pod) => pod.succeeded(), name).pass().lose(name).pass();
    }

    expect(job.status.phase).toBe('Completed');
    expect(job.status.disruptions).toBe(0);
  });

  it('a pod of a replica that has succeeded before, which a late request has created, is deleted, and the replica stays succeeded', () => {
    const job = new PlannedJob(makeJob().plain(2).successPolicy('AllReplicas')).run();
    job.set((pod) => pod.succeeded(), 'train-worker-1').pass().lose('train-worker-1').pass();
    expect(job.created).toEqual([]);

    job.pods.set('train-worker-1', makePod('train-worker-1').uid('late').running().build());
    job.pass();
    expect(job.actions).toMatchObject([{ type: 'deletePod', name: 'train-worker-1', uid: 'late', reason: 'the replica has succeeded' }]);
    job.set((pod) => pod.succeeded(), 'train-worker-0').pass();
    expect(job.status.phase).toBe('Completed');
  });

  it('success comes first: a worker that fails because the master has left does not undo it', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).run();

    job.set((pod) => pod.succeeded(), 'train-master').set((pod) => pod.failed(1), 'train-worker-0').pass();

    expect(job.status.phase).toBe('Completed');
    expect(job.condition('Failed')).toBeUndefined();
  });

  it('a job that succeeds while it is being suspended has succeeded', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).run().edit({ suspend: true });

    job.set((pod) => pod.succeeded(), 'train-master').pass();

    expect(job.status.phase).toBe('Completed');
  });
});
