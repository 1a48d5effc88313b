import { PodAddressBook } from '../../../../src/model/frameworks/address-book';
import { contractEnvironment, mayBeReserved } from '../../../../src/model/training-job/environment/environment';
import { replicasOfRole } from '../../../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type EnvVarSpec, type TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { VARIABLE_MAX_BYTES } from '../../../../src/model/training-job/validation/variables';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import { longForm, shortForm } from '../../jobs';
import { job, jobWithRoles, testMistakes } from '../mistakes';

const env = (name: string, value = '1') => [{ name, value }];

describe('a variable that cannot be set is named', () => {
  testMistakes([
    ['a hyperparameter with an equals sign', job({ hyperparameters: { 'a=b': '1' } }), "spec.hyperparameters['a=b']", 'a=b', ['becomes an environment variable', 'Rename it']],
    ['a hyperparameter without a name', job({ hyperparameters: { '': '1' } }), "spec.hyperparameters['']", '', ['printable ASCII']],
    ['a hyperparameter beyond ASCII', job({ hyperparameters: { größe: '1' } }), "spec.hyperparameters['größe']", 'größe', ['printable ASCII']],
    ['a hyperparameter that is the rank', job({ hyperparameters: { RANK: '1' } }), 'spec.hyperparameters.RANK', '1', ['would overwrite RANK', 'PyTorch', 'Rename the hyperparameter']],
    ['a hyperparameter of torchrun', job({ hyperparameters: { PET_NNODES: '1' } }), 'spec.hyperparameters.PET_NNODES', '1', ['would overwrite PET_NNODES']],
    ['a hyperparameter that is the JSON of all', job({ hyperparameters: { TRAINYARD_HYPERPARAMETERS: '{}' } }), 'spec.hyperparameters.TRAINYARD_HYPERPARAMETERS', '{}', ['would overwrite']],
    ['a hyperparameter that is the address of the endpoint', job({ hyperparameters: { KUBEFLOW_TRAINER_SERVER_URL: 'x' } }), 'spec.hyperparameters.KUBEFLOW_TRAINER_SERVER_URL', 'x', ['would overwrite']],
    ['a hyperparameter that is the checkpoint path', job({ checkpointPath: '/c', hyperparameters: { CHECKPOINT_PATH: '/d' } }), 'spec.hyperparameters.CHECKPOINT_PATH', '/d', ['would overwrite']],
    ['a variable of another name for the port', job({ env: env('MASTER_PORT', '1234') }), "spec.env['MASTER_PORT']", '1234', ['set by the PyTorch contract', 'Set spec.port']],
    ['the number of processes', job({ env: env('PET_NPROC_PER_NODE', '4') }), "spec.env['PET_NPROC_PER_NODE']", '4', ['Set spec.nprocPerNode']],
    ['the world size', job({ env: env('WORLD_SIZE', '4') }), "spec.env['WORLD_SIZE']", '4', ['Set spec.replicas']],
    ['the cluster of TensorFlow', shortForm('tensorflow', 2, { env: env('TF_CONFIG', '{}') }), "spec.env['TF_CONFIG']", '{}', ['TensorFlow', 'Remove it']],
    ['the coordinator of JAX', shortForm('jax', 2, { env: env('JAX_COORDINATOR_ADDRESS', 'a') }), "spec.env['JAX_COORDINATOR_ADDRESS']", 'a', ['JAX']],
    ['a variable of the contract in a role', jobWithRoles([{ name: 'master' }, { name: 'worker', env: env('ROLE', 'x') }]), "spec.roles[1].env['ROLE']", 'x', ['set by the PyTorch contract', 'Remove it']],
    ['a variable of the contract in a template', job({ template: { spec: { containers: [{ name: 'training', env: env('RANK', '0') }] } } }), "spec.template.spec.containers['training'].env['RANK']", '0', ['set by the PyTorch contract']],
    ['a variable with an equals sign', job({ env: env('A=B') }), "spec.env['A=B']", 'A=B', ["printable ASCII without '='"]],
    ['a variable that is listed twice', job({ env: [...env('A', '1'), ...env('A', '2')] }), "spec.env['A']", '2', ['is listed twice', 'Remove one']],
    ['a variable with two sources', job({ env: [{ name: 'A', value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }), "spec.env['A']", '1', ['a value and a valueFrom']],
    ['a variable that is a hyperparameter too', job({ hyperparameters: { LR: '1' }, env: env('LR', '2') }), "spec.env['LR']", '2', ['is also a hyperparameter', 'Remove one']],
  ]);

  test('once, when several roles inherit it', () => {
    const spec = longForm('tensorflow', { chief: 1, worker: 2, ps: 1 }, { env: env('MASTER_ADDR', 'me'), hyperparameters: { TF_CONFIG: '{}' } });
    expect(validateTrainingJob('net', spec).map((violation) => violation.path)).toEqual([
      'spec.hyperparameters.TF_CONFIG', "spec.env['MASTER_ADDR']",
    ]);
  });
});

test('names that the contract of this job leaves free can be used', () => {
  const free = (spec: TrainingJobSpec) => expect(validateTrainingJob('net', spec)).toEqual([]);
  free(shortForm('tensorflow', 1, { env: env('TF_CONFIG', '{}') }));
  free(shortForm('jax', 1, { env: env('PET_NNODES') }));
  free(shortForm('mpi', 2, { env: env('MASTER_ADDR') }));
  free(job({ env: env('CHECKPOINT_PATH', '/own') }));
  free(job({ env: env('PYTHONUNBUFFERED', '') }));
  free(job({ hyperparameters: { 'lower.case-and/slash': '1', 'with space': '2' } }));
  free(longForm('tensorflow', { worker: 1, ps: { env: env('RANK') } }));
  free(job({ template: { spec: { containers: [{ name: 'sidecar', image: 's', env: env('RANK') }] } } }));
  free(jobWithRoles([{ name: 'master' }, { name: 'worker', env: env('A', '2') }], { env: env('A', '1') }));
});

describe('a variable that no program can be started with is found before any pod is', () => {
  test('when it names every replica of a large job', () => {
    expect(validateTrainingJob('net', shortForm('tensorflow', 3000))).toEqual([]);
    const [violation, ...more] = validateTrainingJob('a-name-of-forty-two-letters-is-quite-common', shortForm('tensorflow', 3000));
    expect(more).toEqual([]);
    expect(violation).toMatchObject({ path: 'spec.replicas', value: 3000 });
    expect(violation.message).toMatch(/^is too many for TensorFlow: TF_CONFIG names every replica and would have \d+ KiB, and Linux .* 128 KiB.*Use fewer replicas/);
  });

  test('in long form under its roles', () => {
    const spec = longForm('lightgbm', { master: 1, worker: 9999 });
    const violations = validateTrainingJob('net', spec);
    expect(violations.map(({ path, value }) => [path, value])).toEqual([['spec.roles', 10_000], ['spec.roles', 10_000]]);
    expect(violations.map(({ message }) => message.split(' ')[5])).toEqual(['WORKER_ADDRS', 'LIGHTGBM_MACHINES']);
  });

  test('and not when a job of that size names nobody', () => {
    expect(validateTrainingJob('net', shortForm('pytorch', 10_000))).toEqual([]);
    expect(validateTrainingJob('net', shortForm('jax', 10_000))).toEqual([]);
  });

  test('when a user\'s value is too large, to the byte', () => {
    const longest = 'x'.repeat(VARIABLE_MAX_BYTES - 'A='.length);
    expect(validateTrainingJob('net', job({ env: env('A', longest) }))).toEqual([]);
    const paths = (spec: TrainingJobSpec) => validateTrainingJob('net', spec).map((violation) => violation.path);
    expect(paths(job({ env: env('A', `${longest}x`) }))).toEqual(["spec.env['A']"]);
    expect(paths(job({ env: env('A', 'ä'.repeat(70_000)) }))).toEqual(["spec.env['A']"]);
    expect(paths(job({ checkpointPath: longest }))).toEqual(['spec.checkpointPath']);
  });

  test('when hyperparameters are too large together', () => {
    const half = 'x'.repeat(70_000);
    expect(validateTrainingJob('net', job({ hyperparameters: { A: half, B: half } }))).toEqual([
      expect.objectContaining({ path: 'spec.hyperparameters', message: expect.stringContaining('Put large values in a file') }),
    ]);
  });

  test.each([['a letter', 'x'], ['a quote', '"'], ['a backslash', '\\'], ['a control character', '\u0001'], ['a dollar', '$'], ['two bytes', 'ä'],
    ['three bytes', '€'], ['a surrogate alone', '\ud800']],
  )('when hyperparameters are one character of %s too large together, and not before', (_what, character) => {
    // `NAME={"A":"..."}`, in which the character is as JSON and the kubelet's escapes have it.
    const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text).replaceAll('$', '$$$$')) - '""'.length;
    const free = VARIABLE_MAX_BYTES - 'TRAINYARD_HYPERPARAMETERS={"A":""}'.length;
    const most = Math.floor(free / bytesOf(character));
    const problems = (count: number) => validateTrainingJob('net', job({ hyperparameters: { A: character.repeat(count) } })).map(({ path }) => path);
    expect(problems(most)).toEqual([]);
    expect(problems(most + 1)).toEqual(['spec.hyperparameters']);
  });
});

// Of short variables only the first replica's are looked at, which stand for those of the last.
test.each(FRAMEWORK_NAMES)('the last replica of a role has no variables but those of the first, and none that is twice as long: %s', (framework) => {
  for (const replicas of [2, 11, 400]) {
    const job = resolveTrainingJob('net', shortForm(framework, replicas, { checkpointPath: '/c' }));
    const addresses = new PodAddressBook('net');
    for (const { name } of job.roles) {
      const ofRole = replicasOfRole(job, name);
      const [first, last] = [ofRole[0], ofRole[ofRole.length - 1]].map((replica) => contractEnvironment({ job, replica, addresses }, 0));
      const lengths = new Map(first.map((variable) => [variable.name, lengthOf(variable)]));
      expect(last.filter((variable) => !(lengthOf(variable) < 2 * (lengths.get(variable.name) ?? 0)))).toEqual([]);
    }
  }
});

function lengthOf({ name, value = '' }: EnvVarSpec): number {
  return `${name}=${value}`.length;
}

describe('most jobs need no look at their contract, because', () => {
  const longName = 'n'.repeat(60);
  const longPath = '$'.repeat(8_000);
  const elastic = { minReplicas: 1, maxReplicas: 64 };
  const jobs = FRAMEWORK_NAMES.flatMap((framework): [string, TrainingJobSpec][] => [
    [framework, shortForm(framework, 64, { nprocPerNode: 8, checkpointPath: longPath, checkpoint: { keepLast: 1, resumeFrom: longPath } })],
    [`${framework} with helpers`, shortForm(framework, 32, { helpers: [{ name: 'h'.repeat(40), replicas: 32, command: ['h'] }] })],
    [`${framework}, elastic`, shortForm(framework, 64, { elastic })],
  ]);
  const contracts = (spec: TrainingJobSpec) => {
    const resolved = resolveTrainingJob(longName, spec);
    const progress = { url: 'https://operator:10443/path', hasAuthorities: true };
    const addresses = new PodAddressBook(longName);
    return resolved.replicas.flatMap((replica) => contractEnvironment({ job: resolved, replica, addresses, progress }, 0));
  };

  test.each(jobs)('the names of a contract are known at a glance: %s', (_title, spec) => {
    expect(contracts(spec).map(({ name }) => name).filter((name) => !mayBeReserved(name))).toEqual([]);
  });

  test.each(jobs)('sixty-four replicas make no variable that is too long: %s', (_title, spec) => {
    expect(contracts(spec).filter(({ name, value = '' }) => `${name}=${value}`.length > VARIABLE_MAX_BYTES)).toEqual([]);
  });
});
