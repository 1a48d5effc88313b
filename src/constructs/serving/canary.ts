import * as kplus from 'cdk8s-plus-28';
import { withServingAccelerator } from './accelerators';
import type { ModelFormat } from './runtimes/model-format';
import type { ModelStorage } from './models/model-storage';
import type { CanaryPhase, CanarySpec, ComponentSpec } from '../../model/serving/spec';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import { envVars } from '../training-job/pods/kplus-values';
import type { TrainingResources } from '../training-job/pods/resources';
import { resources } from '../training-job/to-spec';

/**
 * Options of `InferenceService.addCanary`: differences between the candidate and the predictor, and its traffic.
 */
export interface CanaryOptions {
  /** Percentage of the requests, 0 to 100. */
  readonly trafficPercent: number;

  /** Storage of the candidate. @default - the predictor's */
  readonly storage?: ModelStorage;

  /** Format of the candidate. @default - the predictor's */
  readonly format?: ModelFormat;

  /** Runtime of the candidate. @default - the predictor's, unless the format differs */
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
   * Number of replicas of the candidate, at most `minReplicas` of the predictor. Only in `ServingMode.STANDARD`.
   * @default - KServe derives them from the traffic
   */
  readonly replicas?: number;
}

/**
 * A candidate in addition to the current model. It gets part of the traffic until you call `promote` or `rollback`.
 */
export class Canary {
  /** Created by `InferenceService.addCanary`. @internal */
  public static _of(name: string, options: CanaryOptions, owner: string): Canary {
    return new Canary(name, options, owner);
  }

  private _phase: CanaryPhase = 'serving';

  /** @param name name of the variant */
  private constructor(public readonly name: string, private readonly options: CanaryOptions, private readonly owner: string) {}

  /** Percentage of the requests while it is a candidate. */
  public get trafficPercent(): number {
    return this.options.trafficPercent;
  }

  /** `serving`, `promoted` or `rolled-back`. */
  public get phase(): string {
    return this._phase;
  }

  /**
   * Replaces the predictor with the candidate, which gets all traffic. In Standard mode, its pods are kept. After you have applied this, move its
   * storage into the predictor, in Standard mode also its name, and remove the canary: the manifest stays the same.
   */
  public promote(): void {
    this.end('promoted');
  }

  /**
   * Sends all traffic to the previous model. In Knative mode, the candidate's revision is kept until you remove the canary.
   */
  public rollback(): void {
    this.end('rolled-back');
  }

  /** Its accelerator, if it or its compute differs from the predictor's. @internal */
  public _ownAccelerator(predictors: AcceleratorRequest | undefined): AcceleratorRequest | undefined {
    return this.options.accelerator ?? (this.options.resources === undefined ? undefined : predictors);
  }

  /**
   * The canary as a spec.
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

  /** The canary as a spec, without accelerators. @internal */
  public _toPlainSpec(predictor: ComponentSpec): CanarySpec {
    const { trafficPercent, storage, format, runtime, image, args, env, replicas } = this.options;
    const { model } = predictor;
    const isOtherFormat = format !== undefined && format.name !== model?.format;
    const changes: Partial<ComponentSpec> = {
      // Additional storage, such as adapters, is kept.
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
      throw new Error(`Canary '${this.name}' of InferenceService '${this.owner}': cannot be ${phase}, because it is already ${this._phase}. Remove one of the two calls.`);
    }
    this._phase = phase;
  }
}
