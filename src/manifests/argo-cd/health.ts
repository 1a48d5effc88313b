/** Health of kinds: a script for each, which ends with the answer on every way through it. */
import { luaScript } from '../../programs/lua-script';
import { programText } from '../../programs/program-text';

/** MLTrainingJob. */
export const TRAINING_JOB_HEALTH = luaScript(programText('argo-cd/health/training-job.lua'));

/** TrainJob (Kubeflow Trainer v2). @see https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/apis/trainer/v1alpha1/trainjob_types.go */
export const TRAIN_JOB_HEALTH = luaScript(programText('argo-cd/health/train-job.lua'));

/** JobSet. @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go */
export const JOB_SET_HEALTH = luaScript(programText('argo-cd/health/job-set.lua'));

/**
 * Jobs of training-operator v1: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MXJob, and MPIJob in both of its versions, whose statuses have the
 * same conditions. None has an observedGeneration. MPIJob v2beta1 tells an eviction as a failure with the reason `MPIJobEvicted`.
 * @see https://github.com/kubeflow/trainer/blob/v1.9.4/pkg/apis/kubeflow.org/v1/common_types.go
 * @see https://github.com/kubeflow/mpi-operator/blob/v0.8.0/pkg/apis/kubeflow/v2beta1/types.go
 */
export const V1_JOB_HEALTH = luaScript(programText('argo-cd/health/v1-job.lua'));

/**
 * Kueue's kinds, of v1beta1 and v1beta2 alike: their conditions tell which generation they are about. Cohort, ResourceFlavor, Topology and
 * WorkloadPriorityClass have no conditions; Argo CD takes them as good once they are there.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/apis/kueue/v1beta2
 */
export const KUEUE_ACTIVE_HEALTH = luaScript(programText('argo-cd/health/kueue-active.lua'));

/** Workload of Kueue. */
export const WORKLOAD_HEALTH = luaScript(programText('argo-cd/health/workload.lua'));

/** RayCluster. @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1 */
export const RAY_CLUSTER_HEALTH = luaScript(programText('argo-cd/health/ray-cluster.lua'));

/** RayJob. */
export const RAY_JOB_HEALTH = luaScript(programText('argo-cd/health/ray-job.lua'));

/** RayService. */
export const RAY_SERVICE_HEALTH = luaScript(programText('argo-cd/health/ray-service.lua'));

/** RayCronJob. */
export const RAY_CRON_JOB_HEALTH = luaScript(programText('argo-cd/health/ray-cron-job.lua'));

/**
 * LLMInferenceService, whose v1alpha1 and v1alpha2 have the same conditions. Argo CD knows InferenceService already.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha2/llmisvc
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview
 */
export const LLM_INFERENCE_SERVICE_HEALTH = luaScript(programText('argo-cd/health/llm-inference-service.lua'));
