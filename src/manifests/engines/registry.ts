/** All engines, for whoever asks which of them can do something. */
import type { EngineDefinition } from './engine';
import { OPERATOR_ENGINE } from './operator';

/** Every engine with its default settings, in the order in which documents and messages name them. */
export function engines(): readonly EngineDefinition[] {
  return [OPERATOR_ENGINE];
}
