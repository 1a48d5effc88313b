import { testUnless } from '../../support/where-possible';
import type { Child } from '../../../src/local/control-plane/child-process';

/**
 * `test`, for tests that need programs of others: skipped where one is missing, and with the last lines of their logs in what fails.
 * @param running those that run by then
 * @param timeoutMs milliseconds of one test; default: that of the suite
 */
export function testWith(
  missing: string | undefined, what: string, running: () => readonly (Child | undefined)[], timeoutMs?: number,
): (name: string, body: () => Promise<void>) => void {
  const testThem = testUnless(missing, what);
  return (name, body) => testThem(name, async () => {
    await body().catch((error: unknown) => {
      const logs = running().flatMap((child) => (child === undefined ? [] : [`${child.name}: ${child.lastLogLines(12)}`]));
      throw new Error([(error as Error).message, ...logs].join('\n'), { cause: error });
    });
  }, timeoutMs);
}
