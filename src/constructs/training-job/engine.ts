import type { EngineDefinition } from '../../manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../manifests/engines/operator';

/**
 * What runs a training job. The same job can be given to another engine; what that engine cannot do is an error at synth.
 */
export class Engine {
  /** The operator that ships with Trainyard (`TrainingOperator`): the job becomes an `MLTrainingJob`. */
  public static operator(): Engine {
    return new Engine(OPERATOR_ENGINE);
  }

  /** Name of the engine, as messages and commands call it. */
  public readonly name: string;

  /** @internal */
  public readonly _definition: EngineDefinition;

  private constructor(definition: EngineDefinition) {
    this.name = definition.name;
    this._definition = definition;
  }
}
