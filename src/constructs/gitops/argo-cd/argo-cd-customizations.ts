import { ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { checkProps, checkTypes } from '../../props/check-props';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { constructCustomizationPatch, constructCustomizations } from '../../../manifests/argo-cd/customizations';
import type { KindCustomization } from '../../../manifests/argo-cd/kinds';
import { validateCustomization, validateCustomizationData } from '../../../model/argo-cd/customization-rules';
import { formatViolation, type Violation } from '../../../model/violations';

/** Properties of `ArgoCdCustomizations`. */
export interface ArgoCdCustomizationsProps {
  /** Namespace of Argo CD. @default argocd */
  readonly namespace?: string;

  /** Kinds of the library that Argo CD is configured for. @default - all */
  readonly kinds?: ArgoCdKind[];

  /** Whether to add health checks for these kinds. @default true */
  readonly health?: boolean;

  /** Whether users can suspend, resume and retry from Argo CD. @default true */
  readonly actions?: boolean;

  /** Whether fields that controllers write may differ from their source. @default true */
  readonly ignoreDifferences?: boolean;

  /**
   * Whether to add a health check for Applications. Argo CD has none since release 1.8, and without it an app of apps does not wait for its waves.
   * @default true
   */
  readonly applicationHealth?: boolean;

  /**
   * Your own customizations. For a kind of the library, each field that you set replaces the library's.
   * @default - none
   */
  readonly customizations?: ArgoCdCustomization[];

  /** Sync wave of the ConfigMap, if an Application contains it. @default - none, which is 0 */
  readonly wave?: number;
}

/**
 * Settings of Argo CD for training jobs, Ray, Kueue and language models: their health, the actions that users can run, and the fields that are not
 * compared with Git.
 *
 * They are part of the ConfigMap `argocd-cm`. Apply it with server-side apply, so that the other keys are kept. `KubeflowPlatform` includes it with
 * `Delivery.argoCd`.
 * @see docs/platform/gitops.md
 * @example
 * import { ArgoCdCustomizations, ArgoCdKind } from 'trainyard/gitops';
 *
 * new ArgoCdCustomizations(chart, 'ArgoCd', { kinds: [ArgoCdKind.ML_TRAINING_JOB, ArgoCdKind.RAY_JOB] });
 */
export class ArgoCdCustomizations extends Construct {
  private readonly own: ArgoCdCustomization[];

  public constructor(scope: Construct, id: string, private readonly props: ArgoCdCustomizationsProps = {}) {
    super(scope, id);
    checkProps(this, 'ArgoCdCustomizationsProps', props);
    const { namespace = 'argocd', wave } = props;
    this.own = [...props.customizations ?? []];
    if (wave !== undefined && !Number.isInteger(wave)) {
      throw new Error(`ArgoCdCustomizations at '${this.node.path}': wave: ${wave}: must be a whole number.`);
    }
    new PlainApiObject(this, 'Resource', {
      ...constructCustomizationPatch({ namespace, wave, data: {} }), data: Lazy.any({ produce: () => this.data }),
    } as ConstructorParameters<typeof ApiObject>[2]);
    this.node.addValidation({
      validate: () => [
        ...this.own.flatMap((each, index) => customizationProblems(each, `customizations[${index}]`)),
        ...validateCustomizationData(this.data),
      ].map((violation) => `ArgoCdCustomizations: ${formatViolation(violation)}`),
    });
  }

  /** The settings by key, for example for the values of Argo CD's chart (`configs.cm`). */
  public get data(): { [key: string]: string } {
    const { kinds, health, actions, ignoreDifferences, applicationHealth } = this.props;
    const own = this.own.map(toKindCustomization);
    return constructCustomizations({ kinds, health, actions, ignoreDifferences, applicationHealth, own });
  }

  /**
   * Adds a customization.
   * @param customization settings of a kind; for a kind of the library, each field that you set replaces the library's
   */
  public addCustomization(customization: ArgoCdCustomization): void {
    checkTypes('ArgoCdCustomizations.addCustomization', 'ArgoCdCustomization', customization);
    this.own.push(customization);
  }
}

/** A customization as plain data. */
function toKindCustomization(given: ArgoCdCustomization): KindCustomization {
  const { group, kind, health, actionDiscovery, actions = [], ignoreDifferences, useOpenLibs } = given;
  return {
    group, kind, health, useOpenLibs,
    ...(actionDiscovery !== undefined && { actions: { discovery: actionDiscovery, actions } }),
    ...(ignoreDifferences !== undefined && { ignoreDifferences: { ...ignoreDifferences } }),
  };
}

/** Violations of a customization. */
function customizationProblems(given: ArgoCdCustomization, path: string): Violation[] {
  const { actionDiscovery, ignoreDifferences, ...rest } = given;
  return validateCustomization({ ...rest, ...ignoreDifferences, discovery: actionDiscovery }, path);
}

/** Kinds that `ArgoCdCustomizations` configures Argo CD for. */
export enum ArgoCdKind {
  /** Our operator's job. */
  ML_TRAINING_JOB = 'ml.collabnix.io/MLTrainingJob',
  /** Job of Kubeflow Trainer v2. */
  TRAIN_JOB = 'trainer.kubeflow.org/TrainJob',
  /** PyTorch job of training-operator v1. */
  PYTORCH_JOB = 'kubeflow.org/PyTorchJob',
  /** TensorFlow job of training-operator v1. */
  TF_JOB = 'kubeflow.org/TFJob',
  /** MPI job of training-operator v1 and of mpi-operator (v2beta1). */
  MPI_JOB = 'kubeflow.org/MPIJob',
  /** XGBoost job of training-operator v1. */
  XGBOOST_JOB = 'kubeflow.org/XGBoostJob',
  /** Paddle job of training-operator v1. */
  PADDLE_JOB = 'kubeflow.org/PaddleJob',
  /** JAX job of training-operator v1. */
  JAX_JOB = 'kubeflow.org/JAXJob',
  /** MXNet job of older releases of training-operator v1. */
  MX_JOB = 'kubeflow.org/MXJob',
  /** JobSet. */
  JOB_SET = 'jobset.x-k8s.io/JobSet',
  /** Ray cluster. */
  RAY_CLUSTER = 'ray.io/RayCluster',
  /** Job on a Ray cluster. */
  RAY_JOB = 'ray.io/RayJob',
  /** Ray Serve. */
  RAY_SERVICE = 'ray.io/RayService',
  /** RayJobs on a schedule. */
  RAY_CRON_JOB = 'ray.io/RayCronJob',
  /** Kueue's queue of the cluster. */
  CLUSTER_QUEUE = 'kueue.x-k8s.io/ClusterQueue',
  /** Kueue's queue of a namespace. */
  LOCAL_QUEUE = 'kueue.x-k8s.io/LocalQueue',
  /** Workload in a queue of Kueue. */
  WORKLOAD = 'kueue.x-k8s.io/Workload',
  /** Condition for admission in addition to quota. */
  ADMISSION_CHECK = 'kueue.x-k8s.io/AdmissionCheck',
  /** Cluster to which MultiKueue sends jobs. */
  MULTI_KUEUE_CLUSTER = 'kueue.x-k8s.io/MultiKueueCluster',
  /** KServe's InferenceService. Argo CD ignores the annotation that stops it. */
  INFERENCE_SERVICE = 'serving.kserve.io/InferenceService',
  /** Language model that KServe serves. */
  LLM_INFERENCE_SERVICE = 'serving.kserve.io/LLMInferenceService',
  /** Spark application: only ignored differences, because Argo CD has a health check. */
  SPARK_APPLICATION = 'sparkoperator.k8s.io/SparkApplication',
  /** Kubernetes' Job: only ignored differences, because Argo CD has a health check and actions. */
  JOB = 'batch/Job',
}

/** Fields that may differ from Git, because another program writes them. */
export interface ArgoCdIgnoredFields {
  /** JSON pointers, such as `/spec/replicas`. @default - none */
  readonly jsonPointers?: string[];
  /** Paths of jq, such as `.spec.workers[].replicas`. @default - none */
  readonly jqPathExpressions?: string[];
  /** Field managers whose fields are ignored, such as `kueue`. @default - none */
  readonly managedFieldsManagers?: string[];
}

/** An action that users can run on an object in Argo CD. */
export interface ArgoCdAction {
  /** Name in the menu. */
  readonly name: string;
  /** Lua that changes `obj` and returns it. */
  readonly lua: string;
}

/**
 * Settings of Argo CD for a kind.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#custom-health-checks
 */
export interface ArgoCdCustomization {
  /** API group; empty for Kubernetes' own kinds without one. */
  readonly group: string;

  /** Kind. */
  readonly kind: string;

  /**
   * Lua that returns `{ status = 'Healthy', message = '...' }` for the object `obj`. Statuses are Healthy, Progressing, Degraded, Suspended.
   * @default - Argo CD's own, or none
   */
  readonly health?: string;

  /** Lua that returns the available actions for `obj`. @default - no actions */
  readonly actionDiscovery?: string;

  /** Actions. @default - none */
  readonly actions?: ArgoCdAction[];

  /** Fields that another program writes. @default - none */
  readonly ignoreDifferences?: ArgoCdIgnoredFields;

  /** Whether the scripts can use all of Lua's libraries, such as `string`. @default false */
  readonly useOpenLibs?: boolean;
}
