import { progressLine, reportedProgress } from '../../../src/local/output/progress-line';
import { elapsed } from '../../../src/model/text/times';

test('says what is known at the start', () => {
  expect(progressLine({ jobName: 'digits', status: {}, elapsedMs: 0 })).toBe('digits · Pending · 0/? replicas up · 0:00');
});

test('says how far a run is and what happened to it', () => {
  const status = { phase: 'Restarting', ready: '1/4', attempt: 2, restarts: 1, nextRetryTime: '2026-01-02T03:04:05Z' } as const;
  expect(progressLine({ jobName: 'digits', status, elapsedMs: 65_000, reported: 'step 3/9' }))
    .toBe('digits · Restarting · 1/4 replicas up · 1:05 · attempt 2 · 1 restart · next start 03:04:05 UTC · step 3/9');
});

test.each([[0, '0:00'], [59_999, '0:59'], [3_599_000, '59:59'], [3_723_000, '1:02:03'], [360_000_000, '100:00:00']])('writes %d ms as %s', (ms, text) => {
  expect(elapsed(ms)).toBe(text);
});

test.each([
  ['step=120 loss=0.3', 'step 120'],
  ['Step 120/1000', 'step 120/1000'],
  ['Epoch [3/20] loss: 0.1', 'epoch 3/20'],
  ['epoch: 4 of 9', 'epoch 4/9'],
  ['{"step": 7, "loss": 1.5}', 'step 7'],
  ['global_step=40', 'step 40'],
  [' 45%|████      | 45/100', '45%'],
  ['progress: 99.5 %', '99%'],
  ['step=14 loss=0.65 epoch=1 progress=5%', 'step 14, 5%'],
  ['loss 0.3 accuracy 0.9', undefined],
  ['stepping stone', undefined],
  ['footstep 3', undefined],
])('reads %j as %j', (line, progress) => {
  expect(reportedProgress(line)).toBe(progress);
});

test('shows what the script has reported in place of what its log seems to say', () => {
  const status = {
    phase: 'Running' as const, ready: '2/2',
    trainerStatus: { progressPercentage: 45, estimatedRemainingSeconds: 130, metrics: [1, 2, 3, 4].map((n) => ({ name: `m${n}`, value: `${n}` })) },
  };
  expect(progressLine({ jobName: 'net', status, elapsedMs: 1000, reported: 'step 7' }))
    .toBe('net · Running · 2/2 replicas up · 0:01 · 45%, 2:10 left, m1 1, m2 2, m3 3');
});
