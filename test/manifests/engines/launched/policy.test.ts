/** What the drivers do when programs end: their own Python, asked about many cases at once. */
import { POLICY_PYTHON } from '../../../../src/manifests/engines/launched/policy-python';
import { runPython } from '../support/launched-programs';

const PLAN = {
  groups: [{ restartPolicy: 'Never', helper: null }, { restartPolicy: 'OnFailure', helper: null }, { restartPolicy: 'ExitCode', helper: null },
    { restartPolicy: 'Never', helper: 'Restart' }, { restartPolicy: 'OnFailure', helper: 'Fail' }],
  exitCodes: { recover: [10], retry: [11], fail: [12] },
  backoffLimit: 4,
  disruptionLimit: null as number | null,
  backoff: { initialSeconds: 2, maxSeconds: 10, resetAfterSeconds: 600 },
};

const VERDICTS = `import json, sys
${POLICY_PYTHON}
class Member: pass
found = []
plan, cases = json.load(sys.stdin)
for group, code in cases:
    member = Member(); member.group = group
    found.append(verdict_of(plan, member, code))
print(json.dumps(found))
`;

const PAUSES = `import json, sys
${POLICY_PYTHON}
plan, failures = json.load(sys.stdin)
budget, found = Budget(plan), []
for verdict, ran in failures:
    try:
        found.append(budget.pause(verdict, 'worker-0 ended with exit code 1', ran))
    except JobFailed as failure:
        found.append(str(failure))
print(json.dumps(found))
`;

const SUCCESS = `import json, sys
${POLICY_PYTHON}
print(json.dumps([has_succeeded({'success': success}, done) for success, done in json.load(sys.stdin)]))
`;

const [never, onFailure, exitCode, restartedHelper, fatalHelper] = [0, 1, 2, 3, 4];

test.each([
  [never, 1, 'fail'], [never, 137, 'fail'], [never, 10, 'recover'], [never, 11, 'retry'], [never, 12, 'fail'],
  [onFailure, 1, 'retry'], [onFailure, 12, 'fail'], [exitCode, 1, 'fail'], [exitCode, 127, 'fail'], [exitCode, 128, 'retry'], [exitCode, 143, 'retry'],
  [exitCode, 10, 'recover'], [restartedHelper, 1, 'retry'], [fatalHelper, 1, 'fail'],
])('group %d, exit code %d: %s', (group, code, verdict) => {
  expect(runPython(VERDICTS, [PLAN, [[group, code]]])).toEqual([verdict]);
});

test('pauses double up to the most, begin anew after a healthy while, and end with the budget', () => {
  expect(runPython(PAUSES, [PLAN, [['retry', 1], ['retry', 1], ['retry', 900], ['retry', 1], ['retry', 1]]])).toEqual([
    2, 4, 2, 4, 'after 4 counted restarts (spec.runPolicy.backoffLimit): worker-0 ended with exit code 1',
  ]);
});

test('what is recovered from and disruptions are not counted, and wait for nothing', () => {
  expect(runPython(PAUSES, [PLAN, [...Array.from({ length: 9 }, (_, index) => [index % 2 ? 'recover' : 'disruption', 1]), ['retry', 1]]])).toEqual([...Array<number>(9).fill(0), 2]);
});

test('disruptions have a budget of their own where the job gives one', () => {
  expect(runPython(PAUSES, [{ ...PLAN, disruptionLimit: 1 }, [['disruption', 1], ['disruption', 1]]])).toEqual([
    0, 'after 1 disruptions (spec.runPolicy.disruptionLimit): worker-0 ended with exit code 1',
  ]);
});

test('a failure that is not retried is the end, in its own words', () => {
  expect(runPython(PAUSES, [PLAN, [['fail', 1]]])).toEqual(['worker-0 ended with exit code 1']);
});

test('all that count have to end well, or one of them', () => {
  expect(runPython(SUCCESS, [
    [{ ordinals: [[0, 0]], one: false }, [0]], [{ ordinals: [[0, 1], [3, 3]], one: false }, [0, 1, 3]], [{ ordinals: [[0, 2]], one: false }, [0, 2]],
    [{ ordinals: [[0, 2]], one: true }, [1]], [{ ordinals: [[0, 2]], one: true }, [7]],
  ])).toEqual([true, true, false, true, false]);
});
