import { ApiObject, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { servingAcceleratorProblems } from '../accelerators';
import { addDisruptionBudgets } from '../disruption-budgets';
import type { LlmInferenceServiceProps, LoraAdapter } from './llm-props';
import { llmPods, llmSpec } from './llm-to-spec';
import type { LlmWorkload } from './llm-workload';
import { storageProblems, type ModelStorage } from '../models/model-storage';
import { storageSecretAnnotations } from '../../../manifests/serving/inference-service';
import { LLM_API_VERSION, constructLlmInferenceServiceSpec } from '../../../manifests/serving/llm';
import { llmBudgets } from '../../../model/serving/disruptions';
import type { LlmInferenceServiceSpec } from '../../../model/serving/llm';
import { validateLlmInferenceService } from '../../../model/serving/validation-llm';
import type { CredentialUse } from '../../credentials/credential-use';
import { dependOn, namespaceProblems } from '../../credentials/with-credentials';
import { attachLlmMonitoring } from '../../monitoring/attach';
import { checkProps, checkTypes } from '../../props/check-props';
import { reportAtSynth, type Problem } from '../../rendering/problems';

/**
 * A large language model on vLLM and llm-d: replicas on several GPUs and nodes, separate prefill and decode, and a scheduler that considers the cache
 * of each replica.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview
 * @example
 * import { Gpu } from 'trainyard';
 * import { LlmInferenceService, ModelStorage } from 'trainyard/serving';
 *
 * new LlmInferenceService(chart, 'Qwen', {
 *   metadata: { name: 'qwen', namespace: 'models' },
 *   model: ModelStorage.huggingFace('Qwen/Qwen3-8B'),
 *   workload: { replicas: 2, resources: { gpu: Gpu.nvidia(1) } },
 *   router: { scheduler: {} },
 * });
 */
export class LlmInferenceService extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'llminferenceservices';

  protected readonly apiObject: ApiObject;

  private readonly props: LlmInferenceServiceProps;
  private readonly _adapters: LoraAdapter[] = [];
  private readonly storages: ModelStorage[] = [];
  private readonly serviceAccountName?: string;

  public constructor(scope: Construct, id: string, props: LlmInferenceServiceProps) {
    super(scope, id);
    checkProps(this, 'LlmInferenceServiceProps', props);
    for (const [place, workload] of [['workload', props.workload], ['prefill', props.prefill]] as const) {
      this.check(place, workload);
    }
    this.props = props;
    const bound = props.credentials?._bind(this, props.metadata?.namespace);
    this.serviceAccountName = bound?.serviceAccountName;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: LLM_API_VERSION,
      kind: 'LLMInferenceService',
      metadata: {
        ...props.metadata,
        annotations: { ...props.metadata?.annotations, ...storageSecretAnnotations(bound?.secretName) },
      },
      spec: Lazy.any({ produce: () => constructLlmInferenceServiceSpec(this.toSpec()) }),
    });
    this.addStorage(props.model);
    (props.lora?.adapters ?? []).forEach((adapter) => this.addAdapter(adapter));
    if (props.disruptionBudget !== false) {
      addDisruptionBudgets(this, { name: this.name, namespace: props.metadata?.namespace }, llmBudgets(this.name, this.toSpec()));
    }
    dependOn(this, this.credentialUses());
    const monitored = { kind: 'LlmInferenceService', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace };
    attachLlmMonitoring(this, monitored, props.monitoring);
    reportAtSynth(this, `LLMInferenceService '${this.name}'`, () => this.problems());
  }

  /** The LoRA adapters, as a copy. */
  public get adapters(): LoraAdapter[] {
    return [...this._adapters];
  }

  /** Adds a LoRA adapter of the model. @param adapter the adapter; its name must be new */
  public addAdapter(adapter: LoraAdapter): void {
    checkTypes('LlmInferenceService.addAdapter', 'LoraAdapter', adapter);
    this._adapters.push(adapter);
    this.addStorage(adapter.storage);
  }

  private check(place: string, workload: LlmWorkload | undefined): void {
    const offloading = workload?.kvCacheOffloading;
    if (offloading?.disk !== undefined && offloading.claim !== undefined) {
      throw new Error(`LlmInferenceService at '${this.node.path}': ${place}.kvCacheOffloading sets both 'disk' and 'claim', but only one of them can extend the memory. `
        + 'Remove one of the two.');
    }
  }

  private toSpec(): LlmInferenceServiceSpec {
    return llmSpec(this.props, this._adapters, this.serviceAccountName);
  }

  private credentialUses(): CredentialUse[] {
    const { workload, prefill, credentials } = this.props;
    const pods = [workload, workload?.worker, prefill, prefill?.worker];
    return [...pods.flatMap((options) => options?.credentials ?? []), ...(credentials?._uses ?? [])];
  }

  private addStorage(storage: ModelStorage): void {
    this.storages.push(storage);
    if (storage._job) {
      this.node.addDependency(storage._job);
    }
  }

  private problems(): Problem[] {
    return [
      ...llmPods(this.props).flatMap(({ options, pod, place }) => servingAcceleratorProblems(options.accelerator, pod, place)),
      ...validateLlmInferenceService(this.name, this.toSpec()),
      ...storageProblems(this.metadata.namespace, this.storages),
      ...namespaceProblems(this.metadata.namespace, this.credentialUses()),
    ];
  }
}
