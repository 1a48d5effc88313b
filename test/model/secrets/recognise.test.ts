import fc from 'fast-check';
import { recogniseToken, shownValue, withoutTokens } from '../../../src/model/secrets/recognise';
import { SECRET_NAMES, TOKEN_KINDS } from '../../../src/model/secrets/token-kinds';
import { HUGGING_FACE_TOKEN, SAMPLE_TOKENS, WANDB_KEY, noise } from './sample-tokens';

test.each(SAMPLE_TOKENS)('%s is recognised: %s', (title, token) => {
  expect(recogniseToken(token)?.title).toBe(title);
});

test.each(SAMPLE_TOKENS)('%s is recognised inside a longer text', (title, token) => {
  expect(recogniseToken(`python train.py --key "${token}" --epochs 3`)?.title).toBe(title);
});

test('there is a sample of every kind, and a published form', () => {
  expect(new Set(SAMPLE_TOKENS.map(([title]) => title))).toEqual(new Set(TOKEN_KINDS.map(({ title }) => title)));
  for (const { source, marker, form } of TOKEN_KINDS) {
    expect(source).toMatch(/^https:\/\//);
    expect(form.flags).toBe('');
    expect(marker).not.toBe('');
  }
});

test.each([
  ['a model', 'meta-llama/Llama-3.1-8B-Instruct'],
  ['a commit', noise(40, '0123456789abcdef')],
  ['an image by its digest', `registry.example/train@sha256:${noise(64, '0123456789abcdef')}`],
  ['a bucket', 's3://bucket/run/checkpoints'],
  ['a URL', 'https://example.com:8443/a@b'],
  ['a URL with a user', 'ssh://git@git.example/team/repo.git'],
  ['a password that is a variable', 'postgresql://train:$(DB_PASSWORD)@db.example/runs'],
  ['a password that the shell fills in', 'https://oauth2:${TOKEN}@git.example/repo.git'],
  ['a password of a template', 'redis://:{{ .Values.password }}@redis:6379'],
  ['a place-holder', 'redis://:<password>@redis:6379'],
  ['the beginning of a token', 'hf_transfer'],
  ['a word with a marker in it', 'task-sk-learn-gradient-boosting-classifier-with-a-long-name'],
  ['a name of a package', 'npm_config_registry'],
  ['a certificate', '-----BEGIN CERTIFICATE-----'],
  ['a public key', '-----BEGIN PUBLIC KEY-----'],
  ['a token within a longer word', `x${HUGGING_FACE_TOKEN}`],
  ['an arXiv number', 'arXiv:2310.06825'],
  ['a longer digest behind the name of a key', `WANDB_API_KEY=${noise(64, '0123456789abcdef')}`],
])('%s is no secret: %s', (_what, text) => {
  expect(recogniseToken(text, 'VALUE')).toBeUndefined();
});

test.each(Object.keys(SECRET_NAMES))('whatever stands in %s is a secret', (name) => {
  expect(recogniseToken(WANDB_KEY, name)).toEqual({ title: `a secret of ${SECRET_NAMES[name]}, judging by its name`, shown: '... (40 characters)' });
});

test('a name is asked for only if it looks like one of a secret, which all of them do', () => {
  for (const name of Object.keys(SECRET_NAMES)) {
    expect(recogniseToken('an-ordinary-value', name)).toBeDefined();
    expect(recogniseToken('an-ordinary-value', name.toLowerCase())).toBeDefined();
  }
});

test.each(['--wandb-api-key', '-wandb_api_key', 'wandb_api_key'])('an option is known by its name: %s', (name) => {
  expect(recogniseToken(WANDB_KEY, name)?.title).toBe('a secret of Weights & Biases, judging by its name');
});

test.each(['', 'none', '$(WANDB_KEY)', '${WANDB_KEY}', '$WANDB_KEY_FROM', '{{ wandb.key }}', '<your key here>', '/var/run/secrets/key', './key.txt', 'see the wiki page', 'changeme', 'xxxxxxxxxx', '**********'])(
  'what stands for a secret is none: %j', (text) => {
    expect(recogniseToken(text, 'WANDB_API_KEY')).toBeUndefined();
  });

test('of a token its kind and its length are shown', () => {
  expect(recogniseToken(HUGGING_FACE_TOKEN)?.shown).toBe('hf_... (37 characters)');
  expect(shownValue('spec.env[\'HF_TOKEN\']', HUGGING_FACE_TOKEN)).toBe('hf_... (37 characters)');
  expect(shownValue('spec.hyperparameters.WANDB_API_KEY', WANDB_KEY)).toBe('... (40 characters)');
  expect(shownValue('spec.args[3]', WANDB_KEY)).toBe(WANDB_KEY);
  expect(shownValue('spec.replicas', 3)).toBe(3);
  expect(shownValue('spec', { a: [HUGGING_FACE_TOKEN, null], env: [{ name: 'WANDB_API_KEY', value: WANDB_KEY }, { name: 'A', value: '1' }] })).toEqual({
    a: ['hf_... (37 characters)', null], env: [{ name: 'WANDB_API_KEY', value: '... (40 characters)' }, { name: 'A', value: '1' }],
  });
});

test('a secret in a text is made unreadable, and the rest of the text is not', () => {
  expect(withoutTokens(`login --token ${HUGGING_FACE_TOKEN}, then ${HUGGING_FACE_TOKEN}!`)).toBe('login --token hf_... (37 characters), then hf_... (37 characters)!');
  expect(withoutTokens('postgresql://train:hunter2@db.example/runs')).toBe('... (27 characters)db.example/runs');
});

test('no token survives, wherever it stands', () => {
  fc.assert(fc.property(fc.constantFrom(...SAMPLE_TOKENS.map(([, token]) => token)), fc.string(), fc.string(), (token, before, after) => {
    const text = `${before} ${token} ${after}`;
    expect(withoutTokens(text)).not.toContain(token);
  }));
});

test('texts without a token stay as they are', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }).filter((text) => recogniseToken(text) === undefined), (text) => {
    expect(withoutTokens(text)).toBe(text);
  }));
});
