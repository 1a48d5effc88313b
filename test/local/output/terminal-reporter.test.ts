import { Terminal } from '../../../src/local/output/terminal';
import { TerminalReporter } from '../../../src/local/output/terminal-reporter';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';

const job = resolveTrainingJob('digits', { framework: 'jax', image: 'img', replicas: 2 });

function reporter() {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => { written[name] += text; } });
  const made = new TerminalReporter(new Terminal(stream('out'), stream('err'), {}));
  made.started(job);
  return { made, written };
}

test('shows lines of replicas on standard output and everything else on standard error', () => {
  const { made, written } = reporter();
  made.line(job.replicas[1], { container: 'training', stream: 'stderr', text: 'hello' });
  made.notice('a folder');
  made.status({ phase: 'Running', replicas: 2 });
  made.finished({ phase: 'Completed', restarts: 1 });
  expect(written.out).toBe('[1] worker-1 | hello\n');
  expect(written.err.split('\n')).toEqual([
    'trainyard: digits: 2 replicas of JAX as processes on this machine: 2 worker',
    'trainyard: digits: a folder',
    'trainyard: digits: all 2 replicas run',
    'trainyard: digits: Completed in 0:00, 1 restart',
    '',
  ]);
});

test('tells who failed, how, and what it wrote last', () => {
  const { made, written } = reporter();
  made.finished({
    phase: 'Failed',
    conditions: [{ type: 'Failed', status: 'True', reason: 'ReplicaFailed', message: 'm', lastTransitionTime: '' }],
    lastFailure: {
      role: 'worker', index: 1, rank: 1, pod: 'digits-worker-1', container: 'training', exitCode: 137, signal: 'SIGKILL', reason: 'Error', attempt: 0, time: '',
      logTail: 'step 1\nstep 2\n',
    },
  });
  expect(written.err.split('\n').slice(1)).toEqual([
    'trainyard: digits: Failed after 0:00: ReplicaFailed',
    '  digits-worker-1 (worker 1, rank 1, attempt 0): exit code 137 (SIGKILL), Error',
    '  its last lines:',
    '    | step 1',
    '    | step 2',
    '',
  ]);
});

test('tells why a job failed that no replica is to blame for', () => {
  const { made, written } = reporter();
  made.finished({ phase: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'ran too long', lastTransitionTime: '' }] });
  expect(written.err).toContain('Failed after 0:00: DeadlineExceeded\n  ran too long\n');
});

test('does not call an interrupted job failed', () => {
  const { made, written } = reporter();
  made.finished({ phase: 'Running' });
  expect(written.err).toContain('Interrupted after 0:00');
  expect(written.err).not.toContain('Failed');
});
