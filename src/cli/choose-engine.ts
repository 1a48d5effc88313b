/** The options that select an engine. */
import { InvalidArgumentError, Option } from 'commander';
import type { EngineDefinition } from '../manifests/engines/engine';
import { OPERATOR_ENGINE } from '../manifests/engines/operator';
import { engines } from '../manifests/engines/registry';
import { didYouMean } from '../model/violations';

/** `--engine NAME`; the value is the engine's definition, our operator's by default. */
export function engineOption(description: string, flags = '-e, --engine <name>'): Option {
  const names = engines().map(({ name }) => name);
  return new Option(flags, description)
    // The choices are for help and completion. The parser replaces their check.
    .choices(names)
    .argParser(engineNamed)
    .default(OPERATOR_ENGINE, OPERATOR_ENGINE.name);
}

/** Finds an engine by its name. */
export function engineNamed(name: string): EngineDefinition {
  const engine = engines().find((candidate) => candidate.name === name);
  if (engine === undefined) {
    const names = engines().map((candidate) => candidate.name);
    throw new InvalidArgumentError(`Engines are ${names.join(', ')}.${didYouMean(name, names)}`);
  }
  return engine;
}
