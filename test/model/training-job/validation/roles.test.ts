import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import { longForm, shortForm } from '../../jobs';
import { job, jobWithRoles, testMistakes } from '../mistakes';

describe('roles that do not agree with their framework are named', () => {
  testMistakes([
    ['neither replicas nor roles', job({ replicas: undefined }), 'spec.replicas', undefined, ['is required', "'replicas' (short form) or 'roles'"]],
    ['both replicas and roles', job({ roles: [{ name: 'worker' }] }), 'spec.replicas', 2, ["cannot be combined with 'roles'", 'Remove one']],
    ['too many replicas in all roles together', jobWithRoles([{ name: 'master' }, { name: 'worker', replicas: 10_000 }]), 'spec.roles', 10_001, ['at most 10000 replicas']],
    ['too many replicas with the launcher that the short form adds', { framework: 'mpi', image: 'image', replicas: 10_000 }, 'spec.replicas', 10_001, ['at most 10000 replicas']],
    ['too many replicas at the largest size of an elastic job', { framework: 'horovod', image: 'image', replicas: 2, elastic: { minReplicas: 1, maxReplicas: 10_000 } },
      'spec.elastic.maxReplicas', 10_001, ['at most 10000 replicas']],
    ['too many roles', jobWithRoles(Array.from({ length: 17 }, (_, i) => ({ name: `role-${i}` }))), 'spec.roles', 17, ['at most 16 roles']],
    ['a role with a slip', jobWithRoles([{ name: 'wroker' }]), 'spec.roles[0].name', 'wroker', ['is not a role of PyTorch: master, worker', "Did you mean 'worker'?"]],
    ['a role of another framework', jobWithRoles([{ name: 'worker' }, { name: 'ps' }]), 'spec.roles[1].name', 'ps', ['is not a role of PyTorch']],
    ['a role in capitals', longForm('tensorflow', { worker: 1, PS: 1 }), 'spec.roles[1].name', 'PS', ["Did you mean 'ps'?"]],
    ['a role of a plain job that no pod can be named after', longForm('plain', { My_Role: 1 }), 'spec.roles[0].name', 'My_Role', ['part of pod names', 'lower-case']],
    ['a role that is listed twice', jobWithRoles([{ name: 'worker' }, { name: 'worker' }]), 'spec.roles[1].name', 'worker', ['is listed twice', 'spec.roles[0]', 'Merge the two']],
    ['two masters', jobWithRoles([{ name: 'master', replicas: 2 }]), 'spec.roles[0].replicas', 2, ['must be 1', 'PyTorch has exactly one master']],
    ['two launchers', longForm('mpi', { worker: 1, launcher: 2 }), 'spec.roles[1].replicas', 2, ['must be 1', 'exactly one launcher']],
    ['XGBoost without a master', longForm('xgboost', { worker: 2 }), 'spec.roles', ['worker'], ['is missing the role master', 'XGBoost', 'Add it']],
    ['MPI without workers', longForm('mpi', { launcher: 1 }), 'spec.roles', ['launcher'], ['is missing the role worker']],
    ['TensorFlow with chief and master', longForm('tensorflow', { chief: 1, master: 1, worker: 1 }), 'spec.roles', ['chief', 'master', 'worker'], ['not both', 'Remove one']],
    ['TensorFlow without anyone who trains', longForm('tensorflow', { ps: 1, evaluator: 1 }), 'spec.roles', ['ps', 'evaluator'], ['has no training role', 'Add a worker']],
    ['MXNet without servers', longForm('mxnet', { scheduler: 1, worker: 1 }), 'spec.roles', ['scheduler', 'worker'], ['needs a server', "short form ('replicas')"]],
    ['slots that nobody can count', shortForm('mpi', 2, { nprocPerNode: 'auto' }), 'spec.nprocPerNode', 'auto', ['number of slots in the hostfile', 'Set a number']],
    ['slots that a GPU would count', shortForm('deepspeed', 2, { nprocPerNode: 'gpu' }), 'spec.nprocPerNode', 'gpu', ['Set a number']],
  ]);
});

describe('a restart policy that would never let the job end is named', () => {
  const always = { runPolicy: { restartPolicy: 'Always' } };

  test('on a role that decides, wherever it was written', () => {
    expect(validateTrainingJob('net', job(always))).toEqual([{
      path: 'spec.runPolicy.restartPolicy', value: 'Always', message: expect.stringMatching(/start master again after it succeeded.*Coordinator.*Use OnFailure\.$/),
    }]);
    expect(validateTrainingJob('net', longForm('jax', { worker: { restartPolicy: 'Always' } }))).toEqual([{
      path: 'spec.roles[0].restartPolicy', value: 'Always', message: expect.stringContaining('AllWorkers'),
    }]);
  });

  test('on every replica when all have to succeed', () => {
    const spec = longForm('tensorflow', { worker: 1, ps: { restartPolicy: 'Always' } }, { runPolicy: { successPolicy: 'AllReplicas' } });
    expect(validateTrainingJob('net', spec).map((violation) => violation.path)).toEqual(['spec.roles[1].restartPolicy']);
  });

  test('and not on one that the job does not wait for', () => {
    expect(validateTrainingJob('net', longForm('tensorflow', { worker: 1, ps: { restartPolicy: 'Always' } }))).toEqual([]);
  });
});

describe('a name that is too long is found before any pod is', () => {
  const errors = (name: string, spec = shortForm('jax', 2)) => validateTrainingJob(name, spec).map(({ path, message }) => `${path} ${message}`);

  test('for its longest host name', () => {
    expect(errors('x'.repeat(54))).toEqual([]);
    expect(errors('x'.repeat(55))).toEqual([expect.stringContaining('Use at most 54 characters.')]);
    expect(errors('x'.repeat(56), shortForm('jax', 11))).toEqual([
      expect.stringMatching(/^metadata\.name is too long: the host name of the last worker would be 'x{56}-worker-10' with 66 characters.*Use at most 53 characters\.$/),
    ]);
  });

  test('for its service, when no host name matters', () => {
    expect(errors('x'.repeat(56), shortForm('pytorch', 10_000))).toEqual([]);
    expect(errors('x'.repeat(57), shortForm('pytorch', 2))).toEqual([expect.stringContaining("the service would be 'xxx")]);
  });

  test('together with other mistakes', () => {
    expect(validateTrainingJob('Net', job({ checkpoint: { subPath: 'a' } })).map((violation) => violation.path)).toEqual([
      'metadata.name', 'spec.checkpoint.subPath',
    ]);
  });
});
