/** What an `MLTrainingJob.spec` that no API server has seen is checked by: its types, ranges and words. Rules across fields are in `validation`. */
import { shapeOf } from '../schema/field-shape';
import { SPEC } from '../spec';

/** Shape of `MLTrainingJob.spec`. */
export const SPEC_SHAPE = shapeOf(SPEC);
