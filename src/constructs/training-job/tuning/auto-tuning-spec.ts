/** From the typed search to `spec.autoTuning`. Pure; fields that were not given stay out. */
import type { AutoTuning, TuningParameter } from './auto-tuning';
import type { AutoTuningSpec, TuningParameterSpec } from '../../../model/training-job/fields/features';

/** Renders the search. */
export function autoTuningSpec(written: AutoTuning): AutoTuningSpec {
  const { algorithm, earlyStopping, parameters, ...same } = written;
  return given<AutoTuningSpec>({
    ...same,
    algorithm: algorithm?.name as AutoTuningSpec['algorithm'],
    budget: algorithm?.budget && given({ ...algorithm.budget }),
    earlyStopping: earlyStopping && given({ ...earlyStopping }),
    parameters: Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, parameterSpec(parameter)])),
  });
}

function parameterSpec(written: TuningParameter): TuningParameterSpec {
  return given<TuningParameterSpec>({
    type: written.kind as TuningParameterSpec['type'],
    min: written.min,
    max: written.max,
    step: written.step,
    scale: written.scale,
    values: written.numbers ?? written.words,
  });
}

function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
