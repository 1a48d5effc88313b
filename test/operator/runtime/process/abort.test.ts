import { getMaxListeners, setMaxListeners } from 'node:events';
import { onAbort } from '../../../../src/operator/runtime/process/clock';

it('calls once when the signal aborts, at once when it has, and never after it was taken back', () => {
  const calls: string[] = [];
  const controller = new AbortController();
  onAbort(controller.signal, () => calls.push('kept'));
  onAbort(controller.signal, () => calls.push('taken back'))();
  onAbort(undefined, () => calls.push('no signal'))();
  expect(calls).toEqual([]);
  controller.abort();
  onAbort(controller.signal, () => calls.push('late'));
  expect(calls).toEqual(['kept', 'late']);
});

it('switches the warning of a leak off for a signal that many share', () => {
  const { signal } = new AbortController();
  // What a signal has by itself differs between versions of Node.js.
  setMaxListeners(10, signal);
  onAbort(signal, () => undefined);
  expect(getMaxListeners(signal)).toBe(Infinity);
});
