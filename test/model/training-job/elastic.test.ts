import { job, testMistakes } from './mistakes';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { restartScopeOf, restartsInPlace } from '../../../src/model/training-job/restart-in-place';
import { replicaEnvironment } from '../../../src/model/training-job/environment/environment';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { asObject, environmentOf, loopback, resolved, shortForm, withoutCommon } from '../jobs';

const RANGE = { minReplicas: 2, maxReplicas: 4 };

describe('an elastic job of PyTorch', () => {
  const spec = shortForm('pytorch', 3, { elastic: RANGE });

  test('tells torchrun its range and where to meet, and leaves ranks to it', () => {
    expect(withoutCommon(environmentOf(spec, 'net-worker-1'))).toEqual({
      ROLE: 'worker',
      PET_NNODES: '2:4',
      PET_NPROC_PER_NODE: '1',
      PET_RDZV_BACKEND: 'c10d',
      PET_RDZV_ENDPOINT: 'net-master:29500',
      PET_RDZV_ID: 'net-0',
      PET_MAX_RESTARTS: '100',
      PET_RDZV_CONF: 'is_host=false,join_timeout=86400,last_call_timeout=15,read_timeout=600',
    });
  });

  test('lets the master serve the rendezvous, on one machine too', () => {
    expect(environmentOf(spec, 'net-master').PET_RDZV_CONF).toMatch(/^is_host=true,/);
    expect(environmentOf(spec, 'net-worker-0', loopback())).toMatchObject({
      PET_RDZV_ENDPOINT: '127.0.0.1:41000', PET_RDZV_CONF: expect.stringMatching(/^is_host=false,/),
    });
  });

  test('gives each attempt a rendezvous of its own, because one that was closed stays closed', () => {
    const resolvedJob = resolved(spec);
    const environment = asObject(replicaEnvironment({ job: resolvedJob, replica: resolvedJob.replicas[0], addresses: new PodAddressBook('net') }, 3));
    expect(environment).toMatchObject({ PET_RDZV_ID: 'net-3', TRAINYARD_ATTEMPT: '3' });
  });

  test('gives the same environment whatever the number of replicas is, so that pods need not change with it', () => {
    expect(environmentOf({ ...spec, replicas: 4 }, 'net-worker-1')).toEqual(environmentOf(spec, 'net-worker-1'));
  });

  test('lets its author change the settings of the rendezvous', () => {
    expect(environmentOf({ ...spec, env: [{ name: 'PET_RDZV_CONF', value: 'last_call_timeout=2' }] }, 'net-master').PET_RDZV_CONF).toBe('last_call_timeout=2');
  });

  test('keeps survivors, succeeds with any of its replicas, and leaves restarts to the operator', () => {
    const elastic = resolved({ ...spec, runPolicy: { restartPolicy: 'OnFailure' } });
    expect(restartScopeOf(elastic)).toBe('elastic');
    expect(elastic.successPolicy).toBe('AnyWorker');
    expect(elastic.roles.map((role) => restartsInPlace(elastic, role))).toEqual([false, false]);
  });

  test.each([
    [{ nprocPerNode: 4 }, 4], [{ resources: { gpu: 8 } }, 8], [{ nprocPerNode: 'auto', resources: { gpu: 2 } }, 2], [{ nprocPerNode: 'auto' }, undefined],
    [{ nprocPerNode: 'cpu' }, undefined], [{ resources: { cpu: '3' } }, 3],
  ])('knows its processes where the job says them: %j', (fields, processes) => {
    const elastic = resolveTrainingJob('net', { ...spec, ...fields });
    expect(elastic.framework.elastic!.processesPerReplica(elastic)).toBe(processes);
  });
});

describe('an elastic job of Horovod', () => {
  const spec = shortForm('horovod', 2, { elastic: RANGE, nprocPerNode: 2 });

  test('tells its launcher what horovodrun has to be started with, in processes', () => {
    expect(environmentOf(spec, 'net-launcher')).toMatchObject({
      HOROVOD_HOST_DISCOVERY_SCRIPT: '/etc/mpi/discover_hosts.sh', HOROVOD_MIN_NP: '4', HOROVOD_MAX_NP: '8',
    });
    expect(environmentOf(spec, 'net-worker-0')).not.toHaveProperty('HOROVOD_MIN_NP');
    expect(environmentOf({ ...spec, elastic: undefined }, 'net-launcher')).not.toHaveProperty('HOROVOD_MIN_NP');
  });

  test('succeeds with its launcher', () => {
    expect(resolved(spec).successPolicy).toBe('Coordinator');
  });
});

describe('mistakes with the elastic range', () => {
  testMistakes([
    ['of a framework that cannot', job({ framework: 'jax', elastic: RANGE }), 'spec.elastic', RANGE, ['JAX', 'PyTorch and Horovod', 'Remove it']],
    ['upside down', job({ elastic: { minReplicas: 3, maxReplicas: 2 } }), 'spec.elastic.maxReplicas', 2, ['at least minReplicas (3)']],
    ['too few replicas', job({ replicas: 1, elastic: RANGE }), 'spec.replicas', 1, ['from 2 to 4']],
    ['too many replicas', job({ replicas: 5, elastic: RANGE }), 'spec.replicas', 5, ['from 2 to 4']],
    ['the long form', job({ replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', replicas: 2 }], elastic: RANGE }), 'spec.elastic', RANGE,
      ['needs the short form', 'kubectl scale']],
    ['torchrun\'s limit on Horovod', job({ framework: 'horovod', elastic: { ...RANGE, maxRestarts: 3 } }), 'spec.elastic.maxRestarts', 3, ['--reset-limit']],
    ['a variable that torchrun needs', job({ elastic: RANGE, env: [{ name: 'PET_NNODES', value: '1' }] }), 'spec.env[\'PET_NNODES\']', '1', ['the PyTorch contract']],
  ]);

  test('names every replica that the job may have', () => {
    const name = 'n'.repeat(53);
    expect(validateTrainingJob(name, shortForm('horovod', 1, { elastic: { minReplicas: 1, maxReplicas: 2 } }))).toEqual([]);
    expect(validateTrainingJob(name, shortForm('horovod', 1, { elastic: { minReplicas: 1, maxReplicas: 1000 } }))).toHaveLength(1);
  });
});
