import { liveness, readiness } from '../../../src/operator/training/health-checks';

const watch = (resource: string, state: { alive?: boolean; synced?: boolean } = {}) => (
  { health: { resource, alive: true, synced: true, ...state } });

test('a process whose watches all work is alive and ready', () => {
  expect([liveness([watch('pods'), watch('nodes')]), readiness([watch('pods')])]).toEqual([undefined, undefined]);
});

test('a watch that hangs is named, and so is one that has listed nothing', () => {
  expect(liveness([watch('pods'), watch('nodes', { alive: false })])).toBe('nodes hangs');
  expect(readiness([watch('pods'), watch('services', { synced: false })])).toBe('services not listed yet');
  // A server that is away is no reason to start the process again.
  expect(liveness([watch('services', { synced: false })])).toBeUndefined();
});
