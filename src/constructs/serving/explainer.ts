import type { ServingComponentOptions } from './component';
import type { ContainerServerOptions } from './container-server';
import type { ModelStorage } from './models/model-storage';
import { componentSpec, containerSpec } from './to-spec';
import type { ComponentSpec } from '../../model/serving/spec';
import { checkTypes } from '../props/check-props';

/**
 * Options of `Explainer.adversarialRobustness`.
 */
export interface AdversarialRobustnessOptions extends ServingComponentOptions {
  /**
   * Settings of the method, as the explainer spells them.
   *
   * @default - its own
   */
  readonly config?: { readonly [name: string]: string };

  /**
   * Where its artefacts come from.
   *
   * @default - it needs none
   */
  readonly storage?: ModelStorage;
}

/**
 * What answers `:explain` requests, asking the predictor as often as it needs.
 */
export class Explainer {
  /**
   * A container of yours.
   */
  public static container(options: ContainerServerOptions): Explainer {
    checkTypes('Explainer.container', 'ContainerServerOptions', options);
    return new Explainer(options.storage ?? [], options, containerSpec(options));
  }

  /**
   * The Adversarial Robustness Toolbox, by the square attack.
   */
  public static adversarialRobustness(options: AdversarialRobustnessOptions = {}): Explainer {
    checkTypes('Explainer.adversarialRobustness', 'AdversarialRobustnessOptions', options);
    return new Explainer(options.storage ? [options.storage] : [], options, { art: { type: 'SquareAttack', config: options.config } });
  }

  private constructor(
    private readonly storage: readonly ModelStorage[],
    private readonly options: ServingComponentOptions,
    private readonly own: Partial<ComponentSpec>,
  ) {}

  /**
   * Options that all components have.
   * @internal
   */
  public get _options(): ServingComponentOptions {
    return this.options;
  }

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): ComponentSpec {
    return { ...componentSpec(this.options), ...this.own, storage: this.storage.map((one) => one._toSpec()) };
  }
}
