/** All rules on an InferenceService, each in a file by its topic. */
import { validateServingNames } from './names';
import type { NamedInferenceService } from './spec';
import { validateCanaries } from './validation-canary';
import { validateServingComponents } from './validation-component';
import { validateServingScaling } from './validation-scaling';
import { validateServingStorage } from './validation-storage';
import type { Violation } from '../violations';

/** What is wrong with an InferenceService; paths are those of KServe's object. */
export function validateInferenceService(service: NamedInferenceService): Violation[] {
  return [
    ...validateServingNames(service),
    ...validateServingStorage(service.spec),
    ...validateServingScaling(service.spec),
    ...validateServingComponents(service.spec),
    ...validateCanaries(service.spec),
  ];
}
