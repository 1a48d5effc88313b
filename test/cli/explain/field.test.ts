import { engineSupport, fieldLines, severalLines } from '../../../src/cli/explain/field/explain-field';
import { allFields, lookupField, type FieldNode } from '../../../src/cli/explain/field/field-tree';
import { painter } from '../../../src/local/output/colours';
import { engines } from '../../../src/manifests/engines/registry';
import { FIELD_PATHS } from '../../../src/model/training-job/fields/field-paths';
import { trainyard } from '../support/command';

const plain = painter(false);

function field(written: string): FieldNode {
  const lookup = lookupField(written);
  if (!('field' in lookup)) {
    throw new Error(`${written} was not found: ${JSON.stringify(lookup)}`);
  }
  return lookup.field;
}

test.each([
  ['spec.runPolicy.backoffLimit', 'spec.runPolicy.backoffLimit'],
  ['runPolicy.backoffLimit', 'spec.runPolicy.backoffLimit'],
  ['backoffLimit', 'spec.runPolicy.backoffLimit'],
  ['backoff.maxSeconds', 'spec.runPolicy.backoff.maxSeconds'],
  ['roles[1].image', 'spec.roles[].image'],
  ['roles.image', 'spec.roles[].image'],
  ['roles[]', 'spec.roles'],
  ['env[\'A\'].value', 'spec.env[].value'],
  ['hyperparameters.LR', 'spec.hyperparameters.<name>'],
  ['autoTuning.parameters.lr.min', 'spec.autoTuning.parameters.<name>.min'],
  ['status.lastFailure.exitCode', 'status.lastFailure.exitCode'],
  ['lastFailure', 'status.lastFailure'],
  ['image', 'spec.image'],
  ['hooks.after.backoffLimit', 'spec.hooks.after.backoffLimit'],
  ['spec', 'spec'],
])('%s is %s', (written, path) => {
  expect(field(written).path).toBe(path);
});

test('a name that several fields have is told with all of them', () => {
  const lookup = lookupField('maxSeconds');
  expect('field' in lookup).toBe(true);
  const several = lookupField('action');
  expect('several' in several && severalLines('action', several.several, plain)).toEqual([
    "There are 2 fields 'action':", '  spec.runPolicy.stall.action  What happens then.', '  spec.idle.action  What happens then.',
  ]);
});

test.each([
  ['backofLimit', " Did you mean 'spec.runPolicy.backoffLimit'?"],
  ['spec.runPolicy.backofLimit', " Did you mean 'spec.runPolicy.backoffLimit'?"],
  ['spec.template.spec.foo', ' spec.template.spec is passed on unchanged: see the Kubernetes documentation of that field.'],
  ['nothing.like.that', ''],
])('%s is not a field, and the message says%s', (written, hint) => {
  expect(lookupField(written)).toEqual({ hint });
});

test('every field has a description', () => {
  expect(allFields().filter(({ schema }) => !schema.description).map(({ path }) => path)).toEqual([]);
});

test('a field is told with its type, bounds, default, rules and engines', () => {
  const lines = fieldLines(field('resources.sharedMemory'), plain).join('\n');
  expect(lines).toContain('spec.resources.sharedMemory\n  Size of /dev/shm');
  expect(lines).toContain('Type      text, at most 64 characters');
  expect(lines).toContain('Default   none');
  expect(lines).toContain('- counts against memory and cannot be more. Raise memory or lower it.');
  expect(lines).toContain('operator              yes');
  expect(fieldLines(field('replicas'), plain)).toContain('Type      whole number from 1 to 10000');
  expect(fieldLines(field('port'), plain)).toContain('Default   29500');
  expect(fieldLines(field('framework'), plain)).toContain('Default   none: it is required');
  expect(fieldLines(field('nprocPerNode'), plain)).toContain('Type      whole number or text');
  expect(fieldLines(field('hyperparameters'), plain)).toContain('Type      names and values, each text');
  expect(fieldLines(field('args'), plain)).toContain('Type      list of texts, at most 4096');
  expect(fieldLines(field('status.phase'), plain).join('\n')).toContain('Set by    the operator');
});

test('no line is longer than people read', () => {
  const long = allFields().flatMap((node) => fieldLines(node, plain)).filter((line) => line.length > 125 && line.includes(' ', 60));
  expect(long).toEqual([]);
});

test('each engine answers for each field as its capabilities say', () => {
  for (const path of FIELD_PATHS) {
    for (const { engine, answer } of engineSupport(`spec.${path}`)) {
      const support = engines().find(({ name }) => name === engine)!.capabilities.fields[path];
      expect([path, engine, answer]).toEqual([path, engine, support === true ? 'yes' : 'no' in support ? 'no' : 'partly']);
    }
  }
  expect(engineSupport('status.phase')).toEqual([]);
});

test('a field below a block that engines have as a whole has the answer of the block, and a block names what is missing', () => {
  const answers = (path: string) => engineSupport(path).map(({ engine, answer }) => [engine, answer]);
  expect(answers('spec.preflight.timeoutSeconds')).toEqual(answers('spec.preflight'));
  const jobSet = engineSupport('spec.runPolicy').find(({ engine }) => engine === 'jobset');
  expect(jobSet).toMatchObject({ answer: 'partly', why: expect.stringMatching(/^without backoff, /) });
});

describe('the command', () => {
  test('explains a field without a cluster', async () => {
    const { code, out } = await trainyard(['explain', 'backoffLimit'], { env: { KUBECONFIG: '/nowhere' } });
    expect(out).toMatch(/^spec\.runPolicy\.backoffLimit\n {2}How many counted failures/);
    expect(code).toBe(0);
  });

  test.each([
    [['spec.runPolicy.backofLimit'], "is not a field of MLTrainingJob. Did you mean 'spec.runPolicy.backoffLimit'?"],
    [['backofLimit'], "backofLimit is not a field of MLTrainingJob either. Did you mean 'spec.runPolicy.backoffLimit'?"],
    [['mltj/x', '--kubeconfig', '/nowhere/config'], '/nowhere/config'],
  ])('%j is told to be wrong', async (args, words) => {
    const { code, err } = await trainyard(['explain', ...args], { env: { KUBECONFIG: '/nowhere/kubeconfig' } });
    expect(err).toContain(words);
    expect(code).toBe(2);
  });
});
