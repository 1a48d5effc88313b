/** Rules on the parameters of a search by Katib: what its algorithms make of scales and steps, and how values come into the manifest of a trial. */
import { KATIB_ALGORITHMS, katibAlgorithm, type KatibAlgorithm } from './algorithms';
import type { KatibSearch } from './spec';
import type { TuningParameterSpec } from '../training-job/fields/features';
import { fieldPath } from '../shapes';
import { ViolationCollector, type Violation } from '../violations';

const PARAMETERS = 'spec.autoTuning.parameters';

/** Katib puts values into the text of a manifest, where quotes end a string, and into arguments, where the kubelet reads `$`. */
const UNSAFE = /["'\\$\p{Cc}]/u;

/** Fewest dimensions of CMA-ES. */
const CMAES_DIMENSIONS = 2;

/** Checks the parameters. */
export function validateKatibParameters(search: KatibSearch): Violation[] {
  const violations = new ViolationCollector();
  const { name } = katibAlgorithm(search);
  const algorithm = KATIB_ALGORITHMS[name];
  const parameters = Object.entries(search.tuning.parameters);
  for (const [parameter, spec] of parameters) {
    const path = fieldPath(PARAMETERS, parameter);
    (spec.values ?? []).forEach((value, index) => {
      if (UNSAFE.test(String(value))) {
        violations.add(`${path}.values[${index}]`, value, 'has a quote, a backslash, a dollar sign or a control character, and Katib inserts values unescaped '
          + 'into a manifest. Use a value without such characters.');
      }
    });
    // Of a grid every point is tried, however they are spread.
    if (algorithm !== undefined && spec.values === undefined && name !== 'grid') {
      validateRange(path, spec, { name, algorithm }, violations);
    }
  }
  const ranges = parameters.filter(([, { values }]) => values === undefined).length;
  if (name === 'cmaes' && ranges < CMAES_DIMENSIONS) {
    violations.add(PARAMETERS, ranges, `Katib's cmaes needs ${CMAES_DIMENSIONS} or more ranges (TuningParameter.float, int). Add one, or use KatibAlgorithm.tpe().`);
  }
  return violations.violations;
}

interface Named {
  readonly name: string;
  readonly algorithm: KatibAlgorithm;
}

function validateRange(path: string, spec: TuningParameterSpec, { name, algorithm }: Named, violations: ViolationCollector): void {
  const { library, logFloats, logInts, steps } = algorithm;
  const title = `Katib 0.19's ${name} (${library})`;
  const isLog = spec.scale === 'log';
  if (spec.type === 'float' && logFloats === 'always' && !isLog) {
    violations.add(`${path}.scale`, spec.scale ?? 'linear', `${title} spreads every fraction on a log scale. Use TuningScale.LOG, a list of values, or KatibAlgorithm.tpe().`);
  }
  if (isLog && (spec.type === 'float' ? logFloats === 'never' : !logInts)) {
    violations.add(`${path}.scale`, spec.scale, `${title} spreads this parameter evenly. Use the linear scale, a list of values, or KatibAlgorithm.tpe().`);
  }
  // Whole numbers without a step have one of 1.
  if (spec.step !== undefined && !steps && !(spec.type === 'int' && spec.step === 1)) {
    violations.add(`${path}.step`, spec.step, `${title} takes any value of a range. List the values, or use KatibAlgorithm.tpe().`);
  }
}
