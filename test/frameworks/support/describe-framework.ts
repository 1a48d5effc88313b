/** Groups of tests that need frameworks, which a machine may lack. */
import { findFramework, isFound, type FrameworkName } from './frameworks';
import { describeUnless } from '../../support/where-possible';

/** As `describe`; with reasons in `missing` the tests are listed, never run. */
export function describeUnlessMissing(title: string, missing: readonly string[], tests: () => void): void {
  describeUnless(missing.length === 0 ? undefined : missing.join('; '), title)(title, tests);
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
