import { ApiError, TransportError } from '../../../src/operator/runtime/http/api-error';
import { Outages } from '../../../src/operator/training/outages';
import { FakeClock } from '../runtime/support/fake-clock';

const LEASE = { method: 'PUT', resource: 'leases.coordination.k8s.io' } as const;
const STATUS = { method: 'PUT', resource: 'mltrainingjobs.ml.collabnix.io/status' } as const;
const BROKEN = new TransportError('update', 'ECONNREFUSED', false);
const refusal = (status: number) => new ApiError('update', status, { message: 'injected' });

let clock: FakeClock;
let outages: Outages;
let end: AbortController;
let running: Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  outages = new Outages(clock);
  end = new AbortController();
  running = outages.run(end.signal);
});
afterEach(async () => {
  end.abort();
  await running;
});

test('there was no outage while requests succeed', async () => {
  outages.afterRequest(LEASE);
  await clock.advance(60_000);
  expect(outages.lastSeen()).toBeUndefined();
});

test.each([
  ['a lease without an answer', LEASE, BROKEN],
  ['a lease that is answered with 503', LEASE, refusal(503)],
  ['a lease that is answered with 429', LEASE, refusal(429)],
  ['a status without an answer', STATUS, BROKEN],
])('%s begins an outage, and the next success ends it', async (_what, request, error) => {
  outages.afterRequest(request, error);
  await clock.advance(30_000);
  expect(outages.lastSeen()).toBe(clock.now());
  outages.afterRequest({ method: 'GET', resource: 'pods' });
  const endedAt = clock.now();
  await clock.advance(10_000);
  expect(outages.lastSeen()).toBe(endedAt);
});

test.each([
  ['a lease that another replica has written', LEASE, refusal(409)],
  // What one job brings about must not delay the rules for all others.
  ['a status that the API server cannot take', STATUS, refusal(500)],
  ['a pod that a webhook holds up', { method: 'POST', resource: 'pods' } as const, new TransportError('create', 'ETIMEDOUT', true)],
  ['a log that cannot be read', { method: 'GET', resource: 'pods/log' } as const, BROKEN],
])('%s is no outage', async (_what, request, error) => {
  outages.afterRequest(request, error);
  await clock.advance(10_000);
  expect(outages.lastSeen()).toBeUndefined();
});

test('a process that was stopped heard nothing meanwhile', async () => {
  await clock.advance(10_000);
  clock.stopFor(20_000);
  expect(outages.lastSeen()).toBe(clock.now());
});
