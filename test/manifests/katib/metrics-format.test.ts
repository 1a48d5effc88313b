import { METRICS_FORMAT } from '../../../src/model/katib/spec';

/** Names and values that Katib's collector finds in a line. */
function found(line: string): string[][] {
  return [...line.matchAll(new RegExp(METRICS_FORMAT, 'g'))].map(([, name, value]) => [name, value]);
}

test.each([
  ['val_accuracy=0.93', [['val_accuracy', '0.93']]],
  ['val_accuracy: 0.93', [['val_accuracy', '0.93']]],
  ['{"val_accuracy": 0.93, "loss": 1e-3}', [['val_accuracy', '0.93'], ['loss', '1e-3']]],
  ['{"val_accuracy": "0.93"}', [['val_accuracy', '0.93']]],
  ['epoch 3: train/loss = -1.5E+02, ok', [['train/loss', '-1.5E+02']]],
  ['2026-11-21T10:00:00Z step-time|p50=12', [['2026-11-21T10', '00'], ['step-time|p50', '12']]],
  ['nothing to see', []],
])('%s', (line, pairs) => {
  expect(found(line)).toEqual(pairs);
});

test('the expression has the two groups that Katib\'s webhook wants, and nothing that RE2 lacks', () => {
  expect(METRICS_FORMAT).toMatch(/.*\(.*\).*\(.*\).*/);
  expect(METRICS_FORMAT).not.toMatch(/\(\?[=!<]|\\\d/);
});
