import * as fc from 'fast-check';
import { STATES, type State } from './support/states';
import { APPLICATION_CUSTOMIZATION, KIND_CUSTOMIZATIONS, kindName } from '../../../src/manifests/argo-cd/kinds';
import { runLua } from '../../support/lua';

const WITH_HEALTH = [...KIND_CUSTOMIZATIONS, APPLICATION_CUSTOMIZATION].filter(({ health }) => health !== undefined);
const healthOf = new Map(WITH_HEALTH.map((each) => [kindName(each), each.health!]));
const KINDS = [...healthOf.keys()];

/** What Argo CD reads. */
interface Answer {
  readonly status: string;
  readonly message: string;
}

const ask = (kind: string, object: unknown) => runLua(healthOf.get(kind)!, object) as Answer;

test('every kind with a health check has at least five states, with at least three healths', () => {
  expect(Object.keys(STATES).sort()).toEqual([...KINDS].sort());
  for (const [kind, states] of Object.entries(STATES)) {
    expect([kind, states.length >= 5, new Set(states.map(({ health }) => health)).size >= (kind === 'ray.io/RayCronJob' ? 2 : 3)]).toEqual([kind, true, true]);
    expect(new Set(states.map(({ name }) => name)).size).toBe(states.length);
  }
});

describe.each(Object.entries(STATES))('%s', (kind, states) => {
  test.each(states.map((state) => [state.name, state] as const))('%s', (_name, { object, health, says }) => {
    const answer = ask(kind, object);
    expect(answer).toEqual({ status: health, message: expect.stringMatching(says) });
  });
});

/** Values of all kinds, as wrong as can be. */
const anything = fc.jsonValue({ maxDepth: 3 });

/** Fields and values that scripts look at, in any combination. */
const CONDITION_TYPES = [...new Set(Object.values(STATES).flat().flatMap(({ object }) => (
  ((object.status as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).map(({ type }) => type))))];
const REASONS = [...new Set(Object.values(STATES).flat().flatMap(({ object }) => (
  ((object.status as { conditions?: { reason: string }[] } | undefined)?.conditions ?? []).map(({ reason }) => reason))))];
const FIELDS = [...new Set(Object.values(STATES).flat().flatMap(({ object }) => Object.keys((object.status ?? {}) as object)))];
const conditions = fc.array(fc.oneof(anything, fc.record({
  type: fc.oneof(fc.constantFrom(...CONDITION_TYPES), anything), status: fc.oneof(fc.constantFrom('True', 'False', 'Unknown'), anything),
  reason: fc.oneof(fc.constantFrom(...REASONS), anything), message: anything, observedGeneration: anything,
}, { requiredKeys: [] })), { maxLength: 5 });
const status = fc.oneof(anything, fc.tuple(fc.dictionary(fc.constantFrom(...FIELDS), anything, { maxKeys: 6 }), fc.oneof(conditions, anything))
  .map(([fields, list]) => ({ ...fields, conditions: list })));
const objects = fc.record({
  metadata: fc.oneof(anything, fc.record({ generation: anything, labels: fc.oneof(anything, fc.record({ 'kueue.x-k8s.io/queue-name': anything })), annotations: anything })),
  spec: fc.oneof(anything, fc.record({ suspend: anything, runPolicy: anything, scheduling: anything, active: anything, stopPolicy: anything })),
  status,
}, { requiredKeys: [] });

describe('any object at all', () => {
  test.each(KINDS)('%s gives a health that Argo CD knows, with words, and raises nothing', (kind) => {
    fc.assert(fc.property(objects, (object) => {
      const answer = ask(kind, object);
      expect(['Healthy', 'Progressing', 'Degraded', 'Suspended']).toContain(answer.status);
      expect(answer.message).toMatch(/\S/);
    }), { numRuns: 60 });
  });

  test.each(KINDS.filter((kind) => kind !== 'ray.io/RayCronJob'))('%s is in progress while its conditions are others than we know', (kind) => {
    fc.assert(fc.property(fc.array(fc.record({ type: fc.stringMatching(/^New[A-Z][a-z]{1,8}$/), status: fc.constantFrom('True', 'False', 'Unknown'), reason: fc.constant('New'), message: fc.string() }), { minLength: 1 }), (list) => {
      expect(ask(kind, { metadata: { generation: 1 }, spec: {}, status: { observedGeneration: 1, conditions: list } }).status).toBe('Progressing');
    }), { numRuns: 30 });
  });

  const observed = ({ status: its }: State['object']) => (its as { readonly observedGeneration?: number } | undefined)?.observedGeneration;
  const endOf = ({ status: its }: State['object']) => {
    const { phase, jobDeploymentStatus } = its as { readonly phase?: string; readonly jobDeploymentStatus?: string };
    return phase ?? jobDeploymentStatus ?? '';
  };

  test.each(KINDS.filter((kind) => STATES[kind].some(({ object }) => observed(object) !== undefined)))(
    '%s is in progress while its controller has not seen its generation, unless it has ended', (kind) => {
      const goingOn = STATES[kind].filter(({ object }) => observed(object) !== undefined && !/^(Completed?|Failed|ValidationFailed)$/.test(endOf(object)));
      expect(goingOn.length).toBeGreaterThan(2);
      for (const { object } of goingOn) {
        const later = { ...object, metadata: { ...object.metadata as object, generation: 99 } };
        expect(ask(kind, later)).toMatchObject({ status: 'Progressing', message: expect.stringContaining('last change') });
      }
    });
});
