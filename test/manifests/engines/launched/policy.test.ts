/** Two languages have the rules about failures, the operator's and the drivers': they say the same. */
import fc from 'fast-check';
import { runPython } from '../support/launched-programs';
import { judgeFailure } from '../../../../src/operator/training/plan/failures/failed-replicas';
import type { ResolvedRole } from '../../../../src/model/training-job/replicas/resolve';
import { RESTART_POLICIES, type ResolvedRunPolicy } from '../../../../src/model/training-job/run-policy';
import { programText } from '../../../../src/programs/program-text';

const ASK = `
import json, sys
class Member: group = 0
print(json.dumps([verdict_of({'groups': [{'helper': None, 'restartPolicy': policy}], 'exitCodes': codes}, Member, code) for policy, codes, code in json.load(sys.stdin)]))
`;

const EXIT_CODES = Array.from({ length: 255 }, (_, index) => index + 1);
const policies = fc.constantFrom(...RESTART_POLICIES);
const codes = fc.array(fc.constantFrom(...EXIT_CODES), { maxLength: 4 });
const CASES = [
  ...RESTART_POLICIES.flatMap((policy) => EXIT_CODES.map((code) => [policy, { recover: [], retry: [], fail: [] }, code] as const)),
  ...fc.sample(fc.tuple(policies, fc.record({ recover: codes, retry: codes, fail: codes }), fc.constantFrom(...EXIT_CODES)), 500),
  ...RESTART_POLICIES.map((policy) => [policy, { recover: [7], retry: [7, 8], fail: [8] }, 7] as const),
];

test('the verdict on an exit code', () => {
  const wanted = CASES.map(([restartPolicy, exitCodes, exitCode]) => (
    judgeFailure({ disruption: false, reason: 'Error', exitCode }, { restartPolicy } as ResolvedRole, { exitCodes } as unknown as ResolvedRunPolicy)));
  expect(runPython(programText('launched/policy.py') + ASK, CASES)).toEqual(wanted);
});
