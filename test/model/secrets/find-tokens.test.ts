import { NOT_SECRET_ANNOTATION } from '../../../src/model/labels';
import { findTokens } from '../../../src/model/secrets/find-tokens';
import { formatViolation } from '../../../src/model/violations';
import { HUGGING_FACE_TOKEN, WANDB_KEY } from './sample-tokens';

const RULE = 'looks like a Hugging Face token, and anyone who can read the manifest can read it. Keep it in a Secret and refer to it with Credentials or a secretKeyRef; '
  + 'if it was committed, rotate it. If it is not a secret, declare that in the annotation ml.collabnix.io/not-secret: ';

test('a message says where, which kind and what to do, and shows nothing that can be used', () => {
  const [found] = findTokens({ env: [{ name: 'HF_TOKEN', value: HUGGING_FACE_TOKEN }] }, 'spec');
  expect(formatViolation(found)).toBe(`spec.env['HF_TOKEN']: "hf_... (37 characters)": ${RULE}HF_TOKEN`);
});

test.each<[string, unknown, string, string]>([
  ['a variable', { spec: { env: [{ name: 'A', value: 'x' }, { name: 'TOKEN', value: HUGGING_FACE_TOKEN }] } }, 'spec.env[\'TOKEN\']', 'TOKEN'],
  ['a variable of a pod', { spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'T', value: HUGGING_FACE_TOKEN }] }] } } } }, 'spec.template.spec.containers[0].env[\'T\']', 'T'],
  ['an argument', { spec: { args: ['--epochs=3', HUGGING_FACE_TOKEN] } }, 'spec.args[1]', 'args'],
  ['an argument with its option', { spec: { args: [`--token=${HUGGING_FACE_TOKEN}`] } }, 'spec.args[0]', '--token'],
  ['an argument behind its option', { spec: { args: ['--token', HUGGING_FACE_TOKEN] } }, 'spec.args[1]', '--token'],
  ['a script', { spec: { command: ['sh', '-c', `huggingface-cli login --token ${HUGGING_FACE_TOKEN} && python train.py`] } }, 'spec.command[2]', '-c'],
  ['an annotation', { metadata: { annotations: { 'team/note': HUGGING_FACE_TOKEN } } }, 'metadata.annotations[\'team/note\']', 'team/note'],
  ['a hyperparameter', { spec: { hyperparameters: { token: HUGGING_FACE_TOKEN } } }, 'spec.hyperparameters.token', 'token'],
  ['a field that nobody knows', { spec: { deep: { deeper: [{ x: HUGGING_FACE_TOKEN }] } } }, 'spec.deep.deeper[0].x', 'x'],
])('a token in %s is found, and can be declared none', (_what, object, path, name) => {
  expect(findTokens(object, '').map((found) => [found.path, found.message])).toEqual([[path, RULE + name]]);
  const { metadata, ...rest } = object as { readonly metadata?: { readonly annotations?: object } };
  const declared = { ...rest, metadata: { ...metadata, annotations: { ...metadata?.annotations, [NOT_SECRET_ANNOTATION]: `other, ${name}` } } };
  expect(findTokens(declared, '')).toEqual([]);
});

test('a name that is not declared is told of', () => {
  const object = { metadata: { annotations: { [NOT_SECRET_ANNOTATION]: 'OTHER' } }, spec: { env: [{ name: 'HF_TOKEN', value: HUGGING_FACE_TOKEN }] } };
  expect(findTokens(object, '')).toHaveLength(1);
});

test('the annotation of a pod template holds for what stands beside it', () => {
  const template = { metadata: { annotations: { [NOT_SECRET_ANNOTATION]: 'KEY' } }, spec: { containers: [{ env: [{ name: 'KEY', value: HUGGING_FACE_TOKEN }] }] } };
  expect(findTokens({ spec: { template, env: [{ name: 'KEY', value: HUGGING_FACE_TOKEN }] } }, '')).toEqual([]);
  expect(findTokens({ spec: { groups: [{ template }, { env: [{ name: 'KEY', value: HUGGING_FACE_TOKEN }] }] } }, '').map(({ path }) => path)).toEqual(['spec.groups[1].env[\'KEY\']']);
});

test('a key of Weights & Biases looks like any digest, and is known by its variable', () => {
  expect(findTokens({ env: [{ name: 'COMMIT', value: WANDB_KEY }] }, '')).toEqual([]);
  expect(findTokens({ env: [{ name: 'WANDB_API_KEY', value: WANDB_KEY }] }, '')[0]).toMatchObject({ path: 'env[\'WANDB_API_KEY\']', value: '... (40 characters)' });
  expect(findTokens({ args: ['--wandb-api-key', WANDB_KEY] }, '')).toHaveLength(1);
  expect(findTokens({ args: [`WANDB_API_KEY=${WANDB_KEY} python train.py`] }, '')).toHaveLength(1);
});

test('a variable that refers to a Secret is none', () => {
  const valueFrom = { secretKeyRef: { name: 'hub', key: 'token' } };
  expect(findTokens({ env: [{ name: 'HF_TOKEN', valueFrom }, { name: 'WANDB_API_KEY', value: '$(HF_TOKEN)' }] }, 'spec')).toEqual([]);
});

test('each place is told of, copies of it are not', () => {
  const env = [{ name: 'A', value: HUGGING_FACE_TOKEN }, { name: 'B', value: HUGGING_FACE_TOKEN }];
  const copy = JSON.stringify({ spec: { env } });
  const object = {
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': copy }, managedFields: [{ fieldsV1: copy }] },
    binaryData: { x: HUGGING_FACE_TOKEN },
    spec: { env },
  };
  expect(findTokens(object, '').map(({ path }) => path)).toEqual(['spec.env[\'A\']', 'spec.env[\'B\']']);
});

test.each([undefined, null, 3, true, 'text', [], {}, [null], { a: null }])('%j holds none', (value) => {
  expect(findTokens(value, 'spec')).toEqual([]);
});
