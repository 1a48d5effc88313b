import { answerProgress } from '../../../../src/operator/training/progress/endpoint';
import {
  JOB_REPORTS_BURST, JOB_REPORTS_PER_SECOND, NAMESPACE_REPORTS_BURST, ReportRates,
} from '../../../../src/operator/training/progress/reporters';
import { progressPath } from '../../../../src/model/progress/contract';
import { FakeClock } from '../../runtime/support/fake-clock';

const kindsOf = (rates: ReportRates, namespace: string, name: string, count: number) =>
  Array.from({ length: count }, () => rates.take({ namespace, name }).kind);
const accepted = (kinds: readonly string[]) => kinds.filter((kind) => kind === 'accepted').length;

test('a job reports at its rate, and what is more costs other jobs of the namespace nothing', async () => {
  const clock = new FakeClock();
  const rates = new ReportRates(clock);
  const kinds = kindsOf(rates, 'a', 'net', 10_000);
  expect(accepted(kinds)).toBe(JOB_REPORTS_BURST);
  expect(new Set(kinds)).toEqual(new Set(['accepted', 'tooMany']));
  expect(accepted(kindsOf(rates, 'a', 'other', 20))).toBe(20);
  await clock.advance(1_000);
  expect(accepted(kindsOf(rates, 'a', 'net', 10_000))).toBe(JOB_REPORTS_PER_SECOND);
});

test('all jobs of a namespace together do, and those of another namespace do not notice', () => {
  const rates = new ReportRates(new FakeClock());
  const kinds = Array.from({ length: 100 }, (_, index) => kindsOf(rates, 'a', `net-${index}`, 20)).flat();
  expect(accepted(kinds)).toBe(NAMESPACE_REPORTS_BURST);
  expect(accepted(kindsOf(rates, 'b', 'net', 20))).toBe(20);
});

test('what is too much is answered with 429 and the time to wait, and its connection is not trusted', async () => {
  const rates = new ReportRates(new FakeClock());
  kindsOf(rates, 'a', 'net', JOB_REPORTS_BURST);
  let isTrusted = false;
  const request = {
    method: 'POST', path: progressPath({ namespace: 'a', name: 'net' }), authorization: 'Bearer t', body: async () => '{}', authorized: () => { isTrusted = true; },
  };
  const answer = await answerProgress(request, { authorize: async (job) => rates.take(job), accept: async () => ({ kind: 'accepted' }) });
  expect(answer).toMatchObject({ status: 429, retryAfterSeconds: 1, body: { kind: 'Status', reason: 'TooManyRequests', code: 429 } });
  expect(isTrusted).toBe(false);
});
