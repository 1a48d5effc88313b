import { execPath } from '../../../src/cli/jobs/streams/exec';
import {
  channelMessage, closeMessage, commandEndIn, commandEndMessage, portPrefix, resizeMessage, sizeIn, type CommandEnd,
} from '../../../src/operator/runtime/http/stream-channels';

test('messages start with their channel', () => {
  expect(channelMessage(1, Buffer.from('ab'))).toEqual(Buffer.from([1, 0x61, 0x62]));
  expect(closeMessage(0)).toEqual(Buffer.from([255, 0]));
  expect(resizeMessage(120, 40).toString()).toBe('\u0004{"Width":120,"Height":40}');
  expect(portPrefix(8265)).toEqual(Buffer.from([0x49, 0x20]));
});

test.each<CommandEnd>([
  { kind: 'exited', exitCode: 0 }, { kind: 'exited', exitCode: 3 }, { kind: 'exited', exitCode: 137 }, { kind: 'failed', message: 'no program of that name' },
])('the end of a command comes as it was sent: %j', (end) => {
  expect(commandEndIn(commandEndMessage(end).subarray(1))).toEqual(end);
});

test('the end of a command as kubelets say it', () => {
  const status = (fields: object) => commandEndIn(Buffer.from(JSON.stringify({ kind: 'Status', status: 'Failure', ...fields })));
  expect(status({ reason: 'NonZeroExitCode', message: 'command terminated', details: { causes: [{ reason: 'ExitCode', message: '42' }] } })).toEqual({ kind: 'exited', exitCode: 42 });
  expect(status({ reason: 'InternalError', message: 'OCI runtime exec failed' })).toEqual({ kind: 'failed', message: 'OCI runtime exec failed' });
  // Anything else is no exit code.
  expect(status({ reason: 'NonZeroExitCode', message: 'm', details: { causes: [{ reason: 'ExitCode', message: '-1e9' }] } })).toEqual({ kind: 'failed', message: 'm' });
  expect(commandEndIn(Buffer.from('container not running'))).toEqual({ kind: 'failed', message: 'container not running' });
});

test('sizes of terminals', () => {
  expect(sizeIn(Buffer.from('{"Width":80,"Height":24}'))).toEqual({ columns: 80, rows: 24 });
  for (const wrong of ['', '{}', '{"Width":0,"Height":24}', '{"Width":"80","Height":24}', '{"Width":80,"Height":70000}', 'null']) {
    expect(sizeIn(Buffer.from(wrong))).toBeUndefined();
  }
});

test('a command is in the address as it is', () => {
  expect(execPath({ namespace: 'ml', pod: 'p', container: 'training', command: ['sh', '-c', 'echo "a&b" $X=1'] }, true, false)).toBe(
    '/api/v1/namespaces/ml/pods/p/exec?command=sh&command=-c&command=echo+%22a%26b%22+%24X%3D1&container=training&stdin=true&stdout=true&stderr=true&tty=false');
});
