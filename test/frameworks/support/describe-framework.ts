/**
 * Groups tests that need something which a machine may lack. Then they are skipped, and both the group's name and a line of output say what is
 * missing and why.
 */
import { findFramework, isFound, type FrameworkName } from './frameworks';

/** As `describe`; with reasons in `missing` the tests are listed, never run. */
export function describeUnlessMissing(title: string, missing: readonly string[], tests: () => void): void {
  if (missing.length === 0) {
    describe(title, tests);
    return;
  }
  const reasons = missing.join('; ');
  // Jest shows no names of skipped groups when it runs several files.
  process.stderr.write(`SKIPPED: ${title}: ${reasons}\n`);
  describe.skip(`${title}: SKIPPED, ${reasons}`, tests);
}

/** As `describe`, for the tests of one framework, which get its interpreter. */
export function describeFramework(name: FrameworkName, title: string, tests: (python: string) => void): void {
  const state = findFramework(name);
  if (isFound(state)) {
    describeUnlessMissing(`${title} (${state.version})`, [], () => tests(state.python));
  } else {
    describeUnlessMissing(title, [`${name} is missing: ${state.missing}`], () => tests('python3'));
  }
}
