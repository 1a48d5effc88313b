import type { PodObject } from '../../../src/cli/jobs/objects';
import type { Replica } from '../../../src/cli/jobs/replicas';
import { candidatesOf } from '../../../src/cli/jobs/streams/one-replica';
import { withRawTerminal } from '../../../src/cli/jobs/streams/raw-terminal';

const replica = (name: string, fields: Partial<Replica> = {}): Replica => ({ name, pod: {} as PodObject, ...fields });
const names = (replicas: readonly Replica[]) => replicas.map(({ name }) => name);

test('without a flag it is rank 0, and what leads where there are no ranks', () => {
  expect(names(candidatesOf([replica('a', { rank: 0 }), replica('b', { rank: 1 })], {}))).toEqual(['a']);
  expect(names(candidatesOf([replica('submitter'), replica('w', { role: 'gpu' }), replica('h', { role: 'headgroup' })], {}))).toEqual(['h']);
  expect(names(candidatesOf([replica('submitter'), replica('w', { role: 'gpu' })], {}))).toEqual(['w']);
  // One that was replaced is there beside its successor.
  expect(names(candidatesOf([replica('old', { rank: 0 }), replica('new', { rank: 0 }), replica('b', { rank: 1 })], {}))).toEqual(['old', 'new']);
});

test('flags choose', () => {
  const all = [replica('m', { rank: 0, role: 'master', index: 0 }), replica('w0', { rank: 1, role: 'worker', index: 0 }), replica('w1', { rank: 2, role: 'worker', index: 1 })];
  expect(names(candidatesOf(all, { rank: 2 }))).toEqual(['w1']);
  expect(names(candidatesOf(all, { role: 'worker' }))).toEqual(['w0']);
  expect(() => candidatesOf(all, { rank: 7 })).toThrow('there are pods of the ranks 0 to 2');
});

test('a terminal is as it was before, whatever happens', async () => {
  const modes: boolean[] = [];
  const terminal = { isRaw: false, setRawMode: (isRaw: boolean) => modes.push(isRaw) };
  const before = process.listenerCount('SIGTERM');
  expect(await withRawTerminal(terminal, () => Promise.resolve(5))).toBe(5);
  await expect(withRawTerminal(terminal, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(modes).toEqual([true, false, true, false]);
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
