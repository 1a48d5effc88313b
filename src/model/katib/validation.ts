/** All rules on a search by Katib, each in a file by its topic. Rules of the job and of the search itself are those of `training-job`. */
import type { KatibSearch } from './spec';
import { validateKatibAlgorithm } from './validation-algorithm';
import { validateKatibCollector } from './validation-collector';
import { validateKatibJob } from './validation-job';
import { validateKatibParameters } from './validation-parameters';
import type { Violation } from '../violations';

/** What is wrong with a search whose job and whose `autoTuning` keep the model's rules; paths are those of our spec. */
export function validateKatibSearch(search: KatibSearch): Violation[] {
  return [
    ...validateKatibAlgorithm(search),
    ...validateKatibParameters(search),
    ...validateKatibCollector(search),
    ...validateKatibJob(search),
  ];
}
