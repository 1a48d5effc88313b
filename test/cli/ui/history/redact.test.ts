import fc from 'fast-check';
import { REDACTED, redact } from '../../../../src/cli/ui/history/redact';

const TOKEN = `hf_${'a'.repeat(34)}`;

test('values of names of secrets are not kept, wherever they are', () => {
  const job = {
    spec: {
      env: [{ name: 'DB_PASSWORD', value: 'hunter2' }, { name: 'EPOCHS', value: '3' }, { name: 'MAX_TOKENS', value: '4096' }],
      args: ['--api-key', 'k-123', '--epochs', '3', `--token=${TOKEN}`],
      command: ['sh', '-c', 'WANDB_API_KEY=abc python train.py'],
    },
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"DB_PASSWORD":"hunter2"}' }, managedFields: [{}] },
  };
  const { value, paths } = redact(job);
  expect(value).toEqual({
    spec: {
      env: [{ name: 'DB_PASSWORD', value: REDACTED }, { name: 'EPOCHS', value: '3' }, { name: 'MAX_TOKENS', value: '4096' }],
      args: ['--api-key', REDACTED, '--epochs', '3', `--token=${REDACTED} (37 characters)`],
      command: ['sh', '-c', `WANDB_API_KEY=${REDACTED} python train.py`],
    },
    metadata: { annotations: {} },
  });
  expect(paths).toEqual(['spec.env[0].value', 'spec.args[1]', 'spec.args[4]', 'spec.command[2]']);
});

test('references to Secrets, and variables in place of values, stay', () => {
  const spec = { env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }, { name: 'API_KEY', value: '$(HUB_KEY)' }] };
  expect(redact(spec)).toEqual({ value: spec, paths: [] });
});

test('tokens with a known form are not kept in lines of a log', () => {
  expect(JSON.stringify(redact({ logs: [{ text: `login with ${TOKEN} failed` }] }).value)).not.toContain(TOKEN);
});

test('any JSON keeps its shape, and a text is looked at in linear time', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    expect(typeof redact(value).value).toBe(typeof value);
  }));
  const text = 'a=b --password '.repeat(50_000);
  expect(redact(text).value).toContain(REDACTED);
});
