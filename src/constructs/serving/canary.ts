import * as kplus from 'cdk8s-plus-28';
import { withServingAccelerator } from './accelerators';
import type { ModelFormat } from './runtimes/model-format';
import type { ModelStorage } from './models/model-storage';
import type { CanaryPhase, CanarySpec, ComponentSpec } from '../../model/serving/spec';
import type { AcceleratorRequest } from '../accelerators/accelerator-request';
import { envVars } from '../training-job/pods/kplus-values';
import type { TrainingResources } from '../training-job/pods/resources';
import { resources } from '../training-job/to-spec';

/**
 * Options of `InferenceService.addCanary`: what the candidate has otherwise than the predictor, and how much traffic it gets.
 */
export interface CanaryOptions {
  /** Part of the requests, 0 to 100. */
  readonly trafficPercent: number;

  /** Where the candidate comes from. @default - the predictor's */
  readonly storage?: ModelStorage;

  /** Format of the candidate. @default - the predictor's */
  readonly format?: ModelFormat;

  /** Runtime of the candidate. @default - the predictor's, unless the format is another one */
  readonly runtime?: string;

  /** Image of the candidate. @default - the predictor's */
  readonly image?: string;

  /** Arguments of the candidate. @default - the predictor's */
  readonly args?: string[];

  /** Environment of the candidate. Replaces the predictor's. @default - the predictor's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Compute of the candidate. @default - the predictor's */
  readonly resources?: TrainingResources;

  /** Accelerators of the candidate. @default - the predictor's */
  readonly accelerator?: AcceleratorRequest;

  /**
   * Replicas of the candidate, not more than the predictor's fewest. Only in `ServingMode.STANDARD`.
   * @default - KServe derives them from the traffic
   */
  readonly replicas?: number;
}

/**
 * A candidate next to the model that serves. It gets its part of the traffic until it is promoted or rolled back: one line of the program each.
 */
export class Canary {
  /** Made by `InferenceService.addCanary`. @internal */
  public static _of(name: string, options: CanaryOptions, owner: string): Canary {
    return new Canary(name, options, owner);
  }

  private _phase: CanaryPhase = 'serving';

  /** @param name name of the variant */
  private constructor(public readonly name: string, private readonly options: CanaryOptions, private readonly owner: string) {}

  /** Part of the requests while it is a candidate. */
  public get trafficPercent(): number {
    return this.options.trafficPercent;
  }

  /** `serving`, `promoted` or `rolled-back`. */
  public get phase(): string {
    return this._phase;
  }

  /**
   * The candidate takes all traffic and the predictor's place. In Standard mode its pods stay as they are. Once that is applied, move its storage
   * into the predictor, in Standard mode with its name too, and remove the canary: the manifest stays the same.
   */
  public promote(): void {
    this.end('promoted');
  }

  /**
   * All traffic goes back to the model before. In Knative mode the candidate's revision stays until the canary is removed.
   */
  public rollback(): void {
    this.end('rolled-back');
  }

  /** Its accelerator, if it or its compute is another one than the predictor's. @internal */
  public _ownAccelerator(predictors: AcceleratorRequest | undefined): AcceleratorRequest | undefined {
    return this.options.accelerator ?? (this.options.resources === undefined ? undefined : predictors);
  }

  /**
   * In the model's terms.
   * @param predictor the predictor without its accelerator
   * @internal
   */
  public _toSpec(predictor: ComponentSpec, accelerator: AcceleratorRequest | undefined): CanarySpec {
    const { changes, ...canary } = this._toPlainSpec(predictor);
    const request = this.options.accelerator ?? accelerator;
    if (request === undefined) {
      return { ...canary, changes };
    }
    const { resources: compute, env, nodeSelector, tolerations, worker } = withServingAccelerator({ ...predictor, ...changes }, request);
    return { ...canary, changes: { ...changes, resources: compute, env, nodeSelector, tolerations, worker } };
  }

  /** In the model's terms, without accelerators. @internal */
  public _toPlainSpec(predictor: ComponentSpec): CanarySpec {
    const { trafficPercent, storage, format, runtime, image, args, env, replicas } = this.options;
    const { model } = predictor;
    const isOtherFormat = format !== undefined && format.name !== model?.format;
    const changes: Partial<ComponentSpec> = {
      // What is next to the model, such as adapters, stays.
      ...(storage !== undefined && { storage: [storage._toSpec(), ...(predictor.storage ?? []).slice(1)] }),
      ...(model !== undefined && {
        model: {
          ...model,
          ...(format !== undefined && { format: format.name, formatVersion: format.version }),
          runtime: runtime ?? (isOtherFormat ? undefined : model.runtime),
        },
      }),
      ...(image !== undefined && (predictor.container === undefined ? { image } : { container: { image } })),
      ...(args !== undefined && { args }),
      ...(env !== undefined && { env: envVars(env) }),
      ...(this.options.resources !== undefined && { resources: resources(this.options.resources) }),
    };
    return { name: this.name, trafficPercent, phase: this._phase, changes, replicas };
  }

  private end(phase: CanaryPhase): void {
    if (this._phase !== 'serving' && this._phase !== phase) {
      throw new Error(`Canary '${this.name}' of InferenceService '${this.owner}': cannot be ${phase}, because it is ${this._phase} already. Keep one of the two calls.`);
    }
    this._phase = phase;
  }
}
