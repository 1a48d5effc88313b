/** All engines. */
import type { EngineDefinition } from './engine';
import { jobEngine } from './job';
import { jobSetEngine } from './jobset';
import { OPERATOR_ENGINE } from './operator';
import { rayEngine } from './ray';
import { sparkEngine } from './spark';
import { trainerEngine } from './trainer';
import { trainingOperatorV1Engine } from './training-operator-v1';
import { volcanoEngine } from './volcano';

/** Every engine with its default settings, in the order in which documents and messages name them. */
export function engines(): readonly EngineDefinition[] {
  return [OPERATOR_ENGINE, trainerEngine(), trainingOperatorV1Engine(), jobSetEngine(), jobEngine(), volcanoEngine(), rayEngine(), sparkEngine()];
}
