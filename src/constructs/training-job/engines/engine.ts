import type { EngineDefinition } from '../../../manifests/engines/engine';
import { jobEngine } from '../../../manifests/engines/job';
import { jobSetEngine } from '../../../manifests/engines/jobset';
import { OPERATOR_ENGINE } from '../../../manifests/engines/operator';
import { rayEngine } from '../../../manifests/engines/ray';
import { sparkEngine } from '../../../manifests/engines/spark';
import { trainerEngine } from '../../../manifests/engines/trainer';
import { trainingOperatorV1Engine } from '../../../manifests/engines/training-operator-v1';
import { volcanoEngine } from '../../../manifests/engines/volcano';
import type {
  JobEngineOptions, JobSetEngineOptions, SparkEngineOptions, TrainerEngineOptions, TrainingOperatorV1EngineOptions, VolcanoEngineOptions,
} from './engine-options';
import { TopologyMode } from '../generated/scheduling';
import type { RayEngineOptions } from './ray-options';
import type { ComputeResources } from '../pods/resources';
import { checkTypes } from '../../props/check-props';

/**
 * What runs a training job. You can run the same job on another engine; properties that the engine does not support are an error at synth.
 */
export class Engine {
  /** The operator that ships with Trainyard (`TrainingOperator`): the job becomes an `MLTrainingJob`. */
  public static operator(): Engine {
    return new Engine(OPERATOR_ENGINE);
  }

  /**
   * Kubeflow Trainer v2.3 (`trainer.kubeflow.org/v1alpha1`): the job becomes a `TrainJob` and, by default, a `TrainingRuntime` of its own.
   * @see docs/engines/trainer.md
   */
  public static trainer(options: TrainerEngineOptions = {}): Engine {
    checkTypes('Engine.trainer', 'TrainerEngineOptions', options);
    return new Engine(trainerEngine({ ...options }));
  }

  /**
   * Kubeflow training-operator v1.9 (`kubeflow.org/v1`): the job becomes a `PyTorchJob`, `TFJob`, `MPIJob`, `XGBoostJob`, `PaddleJob` or `JAXJob`.
   * @see docs/engines/training-operator-v1.md
   */
  public static trainingOperatorV1(options: TrainingOperatorV1EngineOptions = {}): Engine {
    checkTypes('Engine.trainingOperatorV1', 'TrainingOperatorV1EngineOptions', options);
    return new Engine(trainingOperatorV1Engine({ ...options }));
  }

  /**
   * Kubernetes alone: one Indexed `Job` and a headless service. For jobs with identical replicas; failed ones are replaced one by one.
   * @see docs/engines/job.md
   */
  public static job(options: JobEngineOptions = {}): Engine {
    checkTypes('Engine.job', 'JobEngineOptions', options);
    return new Engine(jobEngine({ retryPerReplica: options.retryPerReplica }));
  }

  /**
   * JobSet v0.12 (`jobset.x-k8s.io/v1alpha2`): a template for each role, and restarts of all of them together.
   * @see docs/engines/jobset.md
   */
  public static jobSet(options: JobSetEngineOptions = {}): Engine {
    checkTypes('Engine.jobSet', 'JobSetEngineOptions', options);
    return new Engine(jobSetEngine({
      dependsOn: options.dependsOn?.map(({ role, on, status }) => ({ role, on, status: status ?? 'Ready' })),
      exclusiveTopology: options.exclusiveTopology,
      jobPerRole: options.jobPerRole,
      sshSecretName: options.sshSecretName,
    }));
  }

  /**
   * Volcano v1.15 (`batch.volcano.sh/v1alpha1`): a task for each role, placed as one gang.
   * @see docs/engines/volcano.md
   */
  public static volcano(options: VolcanoEngineOptions = {}): Engine {
    checkTypes('Engine.volcano', 'VolcanoEngineOptions', options);
    const { queue, networkTopology } = options;
    return new Engine(volcanoEngine({
      queue,
      networkTopology: networkTopology && {
        mode: networkTopology.mode === TopologyMode.PREFERRED ? 'soft' : 'hard',
        highestTierAllowed: networkTopology.highestTierAllowed,
        highestTierName: networkTopology.highestTierName,
      },
    }));
  }

  /**
   * KubeRay v1.7 (`ray.io/v1`): the job becomes a `RayJob`, whose driver starts the job's programs unchanged, one on each Ray node.
   * @see docs/engines/ray.md
   */
  public static ray(options: RayEngineOptions = {}): Engine {
    checkTypes('Engine.ray', 'RayEngineOptions', options);
    return new Engine(rayEngine({ ...options, head: options.head && withAmounts(options.head) }));
  }

  /**
   * Spark operator v2.5 (`sparkoperator.k8s.io/v1beta2`): the job becomes a `SparkApplication`, whose driver starts the job's programs unchanged, one
   * in each executor.
   * @see docs/engines/spark.md
   */
  public static spark(options: SparkEngineOptions = {}): Engine {
    checkTypes('Engine.spark', 'SparkEngineOptions', options);
    return new Engine(sparkEngine({ ...options, driver: options.driver && withAmounts(options.driver) }));
  }

  /** Name of the engine in messages and commands. */
  public readonly name: string;

  /** @internal */
  public readonly _definition: EngineDefinition;

  /**
   * The same engine with a service account for its driver, for jobs whose creator cannot create one; itself if it needs none.
   * @internal
   */
  public _withDriverAccount(account: () => string): Engine {
    const { withDriverAccount } = this._definition;
    return withDriverAccount === undefined ? this : new Engine(withDriverAccount(account()));
  }

  private constructor(definition: EngineDefinition) {
    this.name = definition.name;
    this._definition = definition;
  }
}

/** Options of a pod with its cores and memory as Kubernetes writes them. */
function withAmounts<T extends ComputeResources>({ cpu, memory, ...others }: T) {
  return { ...others, cpu: cpu?.amount, memory: memory?.asString() };
}
