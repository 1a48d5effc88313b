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
  /** Jobs of one whole. */
  JOB_SET = 'jobset.x-k8s.io/JobSet',
  /** Cluster of Ray. */
  RAY_CLUSTER = 'ray.io/RayCluster',
  /** Job on a cluster of Ray. */
  RAY_JOB = 'ray.io/RayJob',
  /** Ray Serve. */
  RAY_SERVICE = 'ray.io/RayService',
  /** RayJobs by the clock. */
  RAY_CRON_JOB = 'ray.io/RayCronJob',
  /** Queue of the cluster. */
  CLUSTER_QUEUE = 'kueue.x-k8s.io/ClusterQueue',
  /** Queue of a namespace. */
  LOCAL_QUEUE = 'kueue.x-k8s.io/LocalQueue',
  /** What waits in a queue. */
  WORKLOAD = 'kueue.x-k8s.io/Workload',
  /** Condition of an admission in addition to quota. */
  ADMISSION_CHECK = 'kueue.x-k8s.io/AdmissionCheck',
  /** Cluster that jobs are sent to. */
  MULTI_KUEUE_CLUSTER = 'kueue.x-k8s.io/MultiKueueCluster',
  /** KServe's InferenceService: the annotation that stops it is left to whoever sets it. */
  INFERENCE_SERVICE = 'serving.kserve.io/InferenceService',
  /** Language model that is served by KServe. */
  LLM_INFERENCE_SERVICE = 'serving.kserve.io/LLMInferenceService',
  /** Spark application: ignored differences only, for Argo CD knows its health. */
  SPARK_APPLICATION = 'sparkoperator.k8s.io/SparkApplication',
  /** Kubernetes' Job: ignored differences only, for Argo CD knows its health and actions. */
  JOB = 'batch/Job',
}
