/** Groups a framework's tests; where the framework is missing they are skipped, and the group's name says which framework and why. */
import { findFramework, isFound, type FrameworkName } from './frameworks';

/** As `describe`. `tests` gets the framework's interpreter; when it is missing the tests are listed, never run. */
export function describeFramework(name: FrameworkName, title: string, tests: (python: string) => void): void {
  const state = findFramework(name);
  if (isFound(state)) {
    describe(`${title} (${state.version})`, () => tests(state.python));
    return;
  }
  describe.skip(`${title}: SKIPPED, ${name} is missing: ${state.missing}`, () => tests('python3'));
}
