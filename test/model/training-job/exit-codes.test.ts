import { didExitBySignal, signalName } from '../../../src/model/training-job/run-policy';

test('exit codes from 128 on were given from outside, as training-operator v1 counts', () => {
  expect([0, 1, 127].map(didExitBySignal)).toEqual([false, false, false]);
  expect([128, 130, 137, 143, 255].map(didExitBySignal)).toEqual([true, true, true, true, true]);
});

test('a code has the name of its signal, if there is one', () => {
  expect([130, 134, 137, 139, 143].map(signalName)).toEqual(['SIGINT', 'SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTERM']);
  expect([undefined, 0, 1, 128, 255].map(signalName)).toEqual([undefined, undefined, undefined, undefined, undefined]);
});
