import type { Condition } from '../../../../src/model/training-job/status/status';
import { conditionOf, isConditionTrue, withConditions, type ConditionChange } from '../../../../src/operator/training/plan/conditions';

const NOON = '2026-03-01T12:00:00Z';
const ONE = '2026-03-01T13:00:00Z';

const change = (type: ConditionChange['type'], status: ConditionChange['status'], message = ''): ConditionChange => ({ type, status, reason: 'Because', message });

describe('conditions', () => {
  it('a new condition has the time and the generation at which it was set', () => {
    expect(withConditions(undefined, [change('Running', 'True', 'all run')], NOON, 3)).toEqual([
      { type: 'Running', status: 'True', reason: 'Because', message: 'all run', lastTransitionTime: NOON, observedGeneration: 3 },
    ]);
  });

  it('the transition time stays while the status stays, whatever else changes', () => {
    const before = withConditions(undefined, [change('Running', 'False', '1 of 2')], NOON, 1);

    const [after] = withConditions(before, [change('Running', 'False', '2 of 2')], ONE, 2);

    expect(after).toMatchObject({ message: '2 of 2', lastTransitionTime: NOON, observedGeneration: 2 });
  });

  it('the transition time moves with the status', () => {
    const before = withConditions(undefined, [change('Running', 'False')], NOON, 1);

    expect(withConditions(before, [change('Running', 'True')], ONE, 1)[0].lastTransitionTime).toBe(ONE);
  });

  it('what never was true is not said to be false, except Created and Running', () => {
    const all = (['Created', 'Running', 'Restarting', 'Suspended', 'Succeeded', 'Failed'] as const).map((type) => change(type, 'False'));

    expect(withConditions(undefined, all, NOON, 1).map((condition) => condition.type)).toEqual(['Created', 'Running']);
  });

  it('conditions stand in one order, each once', () => {
    const before = withConditions(undefined, [change('Failed', 'True'), change('Created', 'True')], NOON, 1);

    const types = withConditions(before, [change('Restarting', 'True'), change('Created', 'True')], ONE, 1).map((condition) => condition.type);

    expect(types).toEqual(['Created', 'Restarting', 'Failed']);
  });

  it('messages are cut before they fill etcd', () => {
    const [condition] = withConditions(undefined, [change('Created', 'False', 'x'.repeat(100_000))], NOON, 1);

    expect(condition.message).toHaveLength(4096);
  });

  it('a condition is found by its type', () => {
    const conditions: Condition[] = withConditions(undefined, [change('Running', 'True'), change('Created', 'False')], NOON, 1);

    expect(conditionOf({ conditions }, 'Created')?.status).toBe('False');
    expect(isConditionTrue({ conditions }, 'Running')).toBe(true);
    expect(isConditionTrue({ conditions }, 'Created')).toBe(false);
    expect(isConditionTrue({}, 'Failed')).toBe(false);
  });
});
