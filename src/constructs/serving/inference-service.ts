import { ApiObject, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { generatedName } from '../rendering/objects';
import { PlainApiObject } from '../rendering/plain-api-object';
import { servingAcceleratorProblems, withServingAccelerator, type AcceleratedPlace } from './accelerators';
import { Canary, type CanaryOptions } from './canary';
import { addDisruptionBudgets } from './disruption-budgets';
import type { CheckpointServiceProps, InferenceServiceProps } from './inference-service-props';
import { ModelStorage, storageProblems } from './models/model-storage';
import { Predictor } from './predictor';
import { Autoscaler, ServingMode } from './serving-mode';
import { componentSpec, containerSpec } from './to-spec';
import { INFERENCE_SERVICE_API_VERSION, constructInferenceService } from '../../manifests/serving/inference-service';
import { DNS_LABEL_MAX_LENGTH } from '../../model/names';
import { servingBudgets } from '../../model/serving/disruptions';
import { componentServiceName } from '../../model/serving/names';
import type { ComponentSpec, InferenceServiceSpec, NamedInferenceService } from '../../model/serving/spec';
import { validateInferenceService } from '../../model/serving/validation';
import { type Violation } from '../../model/violations';
import { attachServingMonitoring } from '../monitoring/attach';
import { RequestCounter } from '../monitoring/monitoring-options';
import type { CredentialUse } from '../credentials/credential-use';
import { dependOn, namespaceProblems, withCredentials } from '../credentials/with-credentials';
import { envVars, mountSettings } from '../training-job/pods/kplus-values';
import type { TrainingJob } from '../training-job/training-job';
import type { IStorage, VolumeMount } from '../training-job/pods/kplus-types';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/**
 * A model server with an address, on KServe.
 *
 * Synth checks all rules, including those of KServe's webhooks, and reports the errors of all services of the app together.
 * @see https://kserve.github.io/website/docs/concepts/resources/
 * @example
 * import { Accelerator } from 'trainyard';
 * import { InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode } from 'trainyard/serving';
 *
 * new InferenceService(chart, 'Qwen', {
 *   metadata: { name: 'qwen' },
 *   mode: ServingMode.STANDARD,
 *   predictor: Predictor.model({
 *     format: ModelFormat.HUGGINGFACE,
 *     storage: ModelStorage.huggingFace('Qwen/Qwen3-8B'),
 *     accelerator: Accelerator.NVIDIA_L4.count(2),
 *   }),
 * });
 */
export class InferenceService extends kplus.Resource {
  /**
   * Serves the files at a job's checkpoint path. It is applied after the job.
   * @param job job with a checkpoint on a claim in the same namespace, or at a URL such as `gs://bucket/run`
   */
  public static fromCheckpoint(scope: Construct, id: string, job: TrainingJob, props: CheckpointServiceProps): InferenceService {
    checkTypes('InferenceService.fromCheckpoint', 'CheckpointServiceProps', props);
    const { model, path, ...options } = props;
    if (model.storage !== undefined) {
      throw new Error(`InferenceService.fromCheckpoint at '${scope.node.path}/${id}': sets 'model.storage' (${model.storage.location}), but the storage is the checkpoint `
        + `path of TrainingJob '${job.node.path}'. Remove it, or use the constructor.`);
    }
    return new InferenceService(scope, id, { ...options, predictor: Predictor.model({ ...model, storage: ModelStorage.fromCheckpoint(job, path) }) });
  }

  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'inferenceservices';

  /** How KServe runs the pods. */
  public readonly mode: ServingMode;

  /** Autoscaler; undefined in Knative mode. */
  public readonly autoscaler?: Autoscaler;

  /** The model server. */
  public readonly predictor: Predictor;

  protected readonly apiObject: ApiObject;

  private readonly props: InferenceServiceProps;
  private readonly _canaries: Canary[] = [];
  private readonly _env: Map<string, kplus.EnvValue>;
  private readonly mounts: VolumeMount[];
  private readonly serviceAccountName?: string;
  private readonly storageSecretName?: string;
  private readonly storages: ModelStorage[] = [];

  public constructor(scope: Construct, id: string, props: InferenceServiceProps) {
    super(scope, id);
    checkProps(this, 'InferenceServiceProps', props);
    this.props = props;
    this.mode = props.mode;
    this.autoscaler = props.autoscaler ?? (props.mode === ServingMode.STANDARD ? Autoscaler.HPA : undefined);
    this.predictor = props.predictor;
    const { env, volumeMounts } = withCredentials(`InferenceService at '${this.node.path}'`, props.predictor._options, props.predictor._options.credentials);
    this._env = new Map(Object.entries(env));
    this.mounts = volumeMounts;
    const bound = props.credentials?._bind(this, props.metadata?.namespace);
    this.serviceAccountName = bound?.serviceAccountName;
    this.storageSecretName = bound?.secretName;

    const kind = 'InferenceService';
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: INFERENCE_SERVICE_API_VERSION,
      kind,
      metadata: { ...props.metadata, name: props.metadata?.name ?? this.generateName(kind), annotations: { ...props.metadata?.annotations } },
      spec: Lazy.any({ produce: () => constructInferenceService(this._named()).spec }),
    });
    // The annotations do not change after construction.
    const { annotations = {} } = constructInferenceService(this._named()).metadata;
    Object.entries(annotations).forEach(([name, value]) => this.metadata.addAnnotation(name, value));
    props.predictor._storage.forEach((storage) => this.addStorage(storage));
    if (props.disruptionBudget !== false) {
      addDisruptionBudgets(this, { name: this.name, namespace: props.metadata?.namespace }, servingBudgets(this.name, this._named().spec));
    }
    dependOn(this, this.credentialUses());
    attachServingMonitoring(this, { kind, name: this.name, namespace: this.namespace }, props.monitoring,
      [this.mode === ServingMode.KNATIVE ? RequestCounter.KNATIVE : RequestCounter.ENVOY_GATEWAY]);
    reportAtSynth(this, `InferenceService '${this.name}'`, () => this.problems());
  }

  /** The candidates, as a copy. */
  public get canaries(): Canary[] {
    return [...this._canaries];
  }

  /** The predictor's environment, as a copy. */
  public get env(): { [name: string]: kplus.EnvValue } {
    return Object.fromEntries(this._env);
  }

  /** Name of the Kubernetes Service of the component that gets requests, in `ServingMode.STANDARD`. */
  public get serviceName(): string {
    return this.props.transformer === undefined ? this._predictorService() : componentServiceName(this.name, 'transformer');
  }

  /**
   * Adds a candidate, which gets part of the traffic until you call its `promote` or `rollback`.
   * @param name name of the variant, such as `v2`, which is part of the names of Deployments
   */
  public addCanary(name: string, options: CanaryOptions): Canary {
    checkTypes('InferenceService.addCanary', 'CanaryOptions', options);
    const canary = Canary._of(name, options, this.node.path);
    this._canaries.push(canary);
    if (options.storage) {
      this.addStorage(options.storage);
    }
    return canary;
  }

  /**
   * Sets a variable of the predictor's container. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this._env.set(name, value);
  }

  /**
   * Mounts a volume into the predictor's container.
   * @param path absolute path in the container
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    const volume = storage.asVolume();
    const samePath = this.mounts.find((mount) => mount.path === path);
    if (samePath) {
      throw new Error(`InferenceService at '${this.node.path}': cannot mount volume '${volume.name}' at '${path}', because volume `
        + `'${samePath.volume.name}' is already mounted there. Choose another path.`);
    }
    this.mounts.push({ path, volume, ...options });
  }

  /** Service of the predictor, or of one of its candidates. @internal */
  public _predictorService(variant?: string): string {
    const promoted = this._canaries.find(({ phase }) => phase === 'promoted')?.name;
    return componentServiceName(this.name, 'predictor', variant ?? promoted ?? this.predictor._toSpec().name);
  }

  /** Whether a transformer gets the requests. @internal */
  public get _hasTransformer(): boolean {
    return this.props.transformer !== undefined;
  }

  /** The service as a spec. @internal */
  public _named(): NamedInferenceService {
    const { stopped, tagRouting, useLocalModelCache, localModelNodeGroup } = this.props;
    const { predictor, transformer, explainer } = this.plainComponents();
    const { accelerator } = this.predictor._options;
    return {
      name: this.apiObject?.name ?? '',
      namespace: this.namespace,
      spec: {
        mode: this.mode,
        autoscaler: this.autoscaler,
        stopped,
        predictor: withServingAccelerator(predictor, accelerator),
        transformer: transformer && withServingAccelerator(transformer, this.props.transformer?.accelerator),
        explainer: explainer && withServingAccelerator(explainer, this.props.explainer?._options.accelerator),
        canaries: this._canaries.map((canary) => canary._toSpec(predictor, accelerator)),
        tagRouting,
        localModelCache: useLocalModelCache === false ? false : localModelNodeGroup,
        storageSecretName: this.storageSecretName,
      },
    };
  }

  /** The components without their accelerators. */
  private plainComponents(): Pick<InferenceServiceSpec, 'predictor' | 'transformer' | 'explainer'> {
    const { transformer, explainer } = this.props;
    return {
      predictor: this.withIdentity({
        ...this.predictor._toSpec(),
        env: envVars(this.env),
        ...mountSettings(this.mounts),
      }),
      transformer: transformer && this.withIdentity({
        ...componentSpec(transformer), ...containerSpec(transformer), storage: (transformer.storage ?? []).map((storage) => storage._toSpec()),
      }),
      explainer: explainer && this.withIdentity(explainer._toSpec()),
    };
  }

  private get namespace(): string | undefined {
    return this.props.metadata?.namespace ?? Chart.of(this).namespace;
  }

  private withIdentity(component: ComponentSpec): ComponentSpec {
    return this.serviceAccountName === undefined ? component : { ...component, serviceAccountName: this.serviceAccountName };
  }

  /** Credentials of all components, and those for downloading weights. */
  private credentialUses(): CredentialUse[] {
    const { predictor, transformer, explainer, credentials } = this.props;
    const components = [predictor._options, transformer, explainer?._options];
    return [...components.flatMap((options) => options?.credentials ?? []), ...(credentials?._uses ?? [])];
  }

  private addStorage(storage: ModelStorage): void {
    this.storages.push(storage);
    if (storage._job) {
      this.node.addDependency(storage._job);
    }
  }

  private problems(): Problem[] {
    const problems: Problem[] = [
      ...this.acceleratorProblems(), ...validateInferenceService(this._named()),
      ...storageProblems(this.metadata.namespace, this.storages), ...namespaceProblems(this.metadata.namespace, this.credentialUses()),
    ];
    if (this.props.useLocalModelCache === false && this.props.localModelNodeGroup !== undefined) {
      problems.push(`metadata.annotations[serving.kserve.io/nodegroup]: ${JSON.stringify(this.props.localModelNodeGroup)}: caches are not used (useLocalModelCache: false). Remove one of the two.`);
    }
    return problems;
  }

  private acceleratorProblems(): Violation[] {
    const { predictor, transformer, explainer } = this.plainComponents();
    const { accelerator } = this.predictor._options;
    const checked = [
      { component: predictor, request: accelerator, place: placeOf('predictor.', 'spec.predictor', predictor) },
      ...(transformer === undefined ? [] : [{ component: transformer, request: this.props.transformer?.accelerator, place: placeOf('transformer.', 'spec.transformer', transformer) }]),
      ...(explainer === undefined ? [] : [{ component: explainer, request: this.props.explainer?._options.accelerator, place: placeOf('explainer.', 'spec.explainer', explainer) }]),
      ...this._canaries.flatMap((canary, index) => {
        const request = canary._ownAccelerator(accelerator);
        const component = { ...predictor, ...canary._toPlainSpec(predictor).changes };
        return request === undefined ? [] : [{ component, request, place: placeOf(`canaries[${index}].`, `spec.canary[${index}].predictor`, component) }];
      }),
    ];
    return checked.flatMap(({ component, request, place }) => servingAcceleratorProblems(request, component, place));
  }

  /** The name that the chart gives, or a shorter one if names that KServe derives from it would be too long. */
  private generateName(kind: string): string {
    const longest = DNS_LABEL_MAX_LENGTH - '-transformer'.length - (this.namespace === undefined ? 0 : this.namespace.length + 1);
    return generatedName(this, { apiVersion: INFERENCE_SERVICE_API_VERSION, kind }, longest, Math.max(longest, SHORTEST_GENERATED_NAME));
  }
}

/** Paths of a component. KServe can only spread GPUs of a replica over several nodes, so a TPU slice is one pod. */
function placeOf(props: string, path: string, { model, art }: ComponentSpec): AcceleratedPlace {
  return { props, path, container: `${path}.${model !== undefined ? 'model' : art !== undefined ? 'art' : 'containers[0]'}`, nodes: 1 };
}

/** Generated names contain a hash of eight characters. If even this is too long, the rules report an error. */
const SHORTEST_GENERATED_NAME = 16;
