import { FRAMEWORK_NAMES } from '../../../../src/model/training-job/spec';
import { coordinatorOf, hasMaster, needsPeerService, replicasOfRole, roleOf } from '../../../../src/model/training-job/replicas/replicas';
import { RUN_POLICY_DEFAULTS, resolveRunPolicy } from '../../../../src/model/training-job/run-policy';
import { longForm, resolved, shortForm } from '../../jobs';

describe('a resolved job', () => {
  test('has the defaults where nothing was said', () => {
    const job = resolved(shortForm('pytorch', 2));
    expect(job).toMatchObject({ name: 'net', shortForm: true, port: 29500, trainers: 2, runPolicy: RUN_POLICY_DEFAULTS });
    expect(job.roles[0]).toEqual({
      name: 'master', replicas: 1, singleton: true, ranked: true, image: 'image', command: undefined, args: undefined, env: [],
      resources: {}, templates: [], restartPolicy: 'Never',
    });
  });

  test('has roles that inherit what they do not say', () => {
    const template = { metadata: { labels: { team: 'a' } } };
    const own = { spec: { nodeSelector: { pool: 'b' } } };
    const job = resolved(longForm('pytorch', {
      master: { image: 'other', command: ['sh'], args: ['-c'], resources: { cpu: '2' }, restartPolicy: 'OnFailure', template: own },
      worker: 3,
    }, { command: ['python'], args: ['train.py'], resources: { gpu: 1, cpu: '8' }, template, runPolicy: { restartPolicy: 'ExitCode' } }));
    const [master, worker] = job.roles;
    expect(master).toMatchObject({
      image: 'other', command: ['sh'], args: ['-c'], resources: { cpu: '2' }, restartPolicy: 'OnFailure', templates: [template, own],
    });
    expect(worker).toMatchObject({
      image: 'image', command: ['python'], args: ['train.py'], resources: { gpu: 1, cpu: '8' }, restartPolicy: 'ExitCode', templates: [template],
      replicas: 3,
    });
    expect(job.shortForm).toBe(false);
  });

  test.each(['mpi', 'horovod', 'deepspeed'] as const)('of %s has a small launcher, unless the role has resources of its own', (framework) => {
    const resources = { gpu: 8, cpu: '90', memory: '800Gi' };
    expect(resolved(shortForm(framework, 2, { resources })).roles.map((role) => role.resources)).toEqual([{ cpu: '1', memory: '2Gi' }, resources]);
    expect(resolved(shortForm(framework, 2)).roles[0].resources).toEqual({ cpu: '1', memory: '2Gi' });
    expect(resolved(longForm(framework, { launcher: { resources: {} }, worker: 2 }, { resources })).roles[0].resources).toEqual({});
  });

  test('has parameter servers, schedulers and servers as large as its workers, without devices', () => {
    const resources = { gpu: 1, cpu: '8' };
    const ofRole = (role: string) => resolved(longForm(role === 'ps' ? 'tensorflow' : 'mxnet', role === 'ps' ? { worker: 1, ps: 1 } : {
      scheduler: 1, server: 1, worker: 1 }, { resources })).roles.find(({ name }) => name === role)?.resources;
    expect(['ps', 'scheduler', 'server'].map(ofRole)).toEqual([{ cpu: '8' }, { cpu: '8' }, { cpu: '8' }]);
  });

  test('has one replica of a role that does not count', () => {
    expect(resolved(longForm('pytorch', { master: {}, worker: {} })).replicas).toHaveLength(2);
  });

  test('ends as its run policy says, whatever the framework would', () => {
    expect(resolved(shortForm('pytorch', 2, { runPolicy: { successPolicy: 'AllReplicas' } })).successPolicy).toBe('AllReplicas');
  });

  test('does not change the spec that it came from', () => {
    const spec = Object.freeze(longForm('tensorflow', { worker: 2, chief: 1 }));
    Object.freeze(spec.roles);
    expect(resolved(spec).roles.map((role) => role.name)).toEqual(['chief', 'worker']);
    expect(spec.roles!.map((role) => role.name)).toEqual(['worker', 'chief']);
  });
});

describe('the replicas of a job', () => {
  test('are found by role, and know theirs', () => {
    const job = resolved(longForm('tensorflow', { chief: 1, ps: 2 }));
    expect(replicasOfRole(job, 'ps').map((replica) => replica.podName)).toEqual(['net-ps-0', 'net-ps-1']);
    expect(replicasOfRole(job, 'worker')).toEqual([]);
    expect(roleOf(job, job.replicas[2]).name).toBe('ps');
  });

  test('are coordinated by the first of the first role', () => {
    expect(coordinatorOf(resolved(longForm('tensorflow', { ps: 1, worker: 2 }))).podName).toBe('net-worker-0');
    expect(coordinatorOf(resolved(shortForm('mpi', 2))).podName).toBe('net-launcher');
  });

  test('have a service for their master alone only where there is one master', () => {
    const withMaster = FRAMEWORK_NAMES.filter((name) => hasMaster(resolved(shortForm(name, 2))));
    expect(withMaster).toEqual(['pytorch', 'tensorflow', 'mxnet', 'xgboost', 'lightgbm']);
    expect(hasMaster(resolved(longForm('pytorch', { worker: 2 })))).toBe(false);
    expect(hasMaster(resolved(longForm('plain', { master: 2 })))).toBe(false);
    expect(hasMaster(resolved(longForm('paddle', { master: 1, worker: 1 })))).toBe(true);
  });

  test('have a service for all of them where somebody dials them by name', () => {
    const needs = (replicas: number) => FRAMEWORK_NAMES.filter((name) => needsPeerService(resolved(shortForm(name, replicas))));
    expect(needs(2)).toEqual(FRAMEWORK_NAMES.filter((name) => name !== 'pytorch'));
    // A master alone is dialled by nobody but itself, through its own service.
    expect(needs(1)).toEqual(['jax', 'mpi', 'horovod', 'deepspeed', 'paddle', 'plain']);
    expect(needsPeerService(resolved(longForm('pytorch', { worker: 2 })))).toBe(true);
  });
});

describe('a run policy', () => {
  test('has the documented defaults', () => {
    expect(resolveRunPolicy()).toEqual({
      restartPolicy: 'Never', backoffLimit: 6, backoff: { initialSeconds: 10, maxSeconds: 360, resetAfterSeconds: 600 }, cleanPodPolicy: 'Running',
      startTimeoutSeconds: 300,
      nodeLoss: { graceSeconds: 30, leaseGraceSeconds: 20, stuckPods: 'ForceDelete', forceDeleteAfterSeconds: 30 },
      nodeAvoidance: { afterFailures: 2, forSeconds: 3600 },
    });
  });

  test('keeps what was said, zero included', () => {
    expect(resolveRunPolicy({ backoffLimit: 0, backoff: { initialSeconds: 0 }, ttlSecondsAfterFinished: 0, cleanPodPolicy: 'All' })).toMatchObject({
      backoffLimit: 0, backoff: { initialSeconds: 0, maxSeconds: 360 }, ttlSecondsAfterFinished: 0, cleanPodPolicy: 'All',
    });
  });
});
