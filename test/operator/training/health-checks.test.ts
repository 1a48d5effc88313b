import { liveness, readiness } from '../../../src/operator/training/operator';

const watch = (resource: string, state: { alive?: boolean; synced?: boolean } = {}) => (
  { health: { resource, alive: true, synced: true, ...state } });

test('a process whose watches all work is alive and ready', () => {
  expect([liveness([watch('pods'), watch('nodes')]), readiness([{ watches: [watch('pods')] }])]).toEqual([undefined, undefined]);
});

test('a watch that hangs is named, and so is one that has listed nothing', () => {
  expect(liveness([watch('pods'), watch('nodes', { alive: false })])).toBe('nodes hangs');
  expect(readiness([{ watches: [watch('pods'), watch('services', { synced: false })] }])).toBe('services not listed yet');
  // A server that is away is no reason to start the process again.
  expect(liveness([watch('services', { synced: false })])).toBeUndefined();
});

test('one namespace whose watches have all listed makes a replica ready, whatever becomes of the others', () => {
  const lost = { watches: [watch('pods', { synced: false }), watch('services', { synced: false })] };
  expect(readiness([lost, { watches: [watch('pods')] }])).toBeUndefined();
  expect(readiness([lost, lost])).toBe('pods not listed yet');
});
