/** Components of a platform. The catalogue (docs/platform/README.md) has their versions and sources. */
export enum ComponentName {
  /** Certificates for webhooks and gateways. */
  CERT_MANAGER = 'cert-manager',
  /** Istio, with the ingress gateway and the CNI plugin of Kubeflow. */
  ISTIO = 'istio',
  /** Cloud Service Mesh of the fleet, with Trainyard's ingress gateway in front. */
  MANAGED_MESH = 'managed-mesh',
  /** CRDs of the Gateway API. */
  GATEWAY_API = 'gateway-api',
  /** Knative Serving on Istio: scale to zero and revisions. */
  KNATIVE_SERVING = 'knative-serving',
  /** Dex: sign-in with your identity provider. */
  DEX = 'dex',
  /** oauth2-proxy: sessions and tokens at the ingress gateway. */
  OAUTH2_PROXY = 'oauth2-proxy',
  /** Identity-Aware Proxy of Google Cloud: its tokens are checked at the ingress gateway. */
  IAP = 'iap',
  /** Namespaces, roles and issuer that Kubeflow's applications share. */
  KUBEFLOW_BASE = 'kubeflow-base',
  /** The gateway of the platform's domain. */
  KUBEFLOW_GATEWAY = 'kubeflow-gateway',
  /** Profiles: a namespace with roles and quota for each team. */
  PROFILES = 'profiles',
  /** Central Dashboard. */
  CENTRAL_DASHBOARD = 'central-dashboard',
  /** PodDefaults: settings that pods of a namespace get by label. */
  POD_DEFAULTS = 'pod-defaults',
  /** Notebooks, with the applications for notebooks and volumes. */
  NOTEBOOKS = 'notebooks',
  /** TensorBoard, with its web application. */
  TENSORBOARD = 'tensorboard',
  /** Kubeflow Pipelines for several users, with pipelines as Kubernetes objects. */
  PIPELINES = 'pipelines',
  /** Katib: hyperparameter search. */
  KATIB = 'katib',
  /** Model Registry, with a database and routes through the mesh. */
  MODEL_REGISTRY = 'model-registry',
  /** Trainyard's own operator for MLTrainingJobs. */
  TRAINING_OPERATOR = 'training-operator',
  /** JobSet: several Jobs as one. */
  JOBSET = 'jobset',
  /** LeaderWorkerSet: groups of pods with a leader. */
  LWS = 'lws',
  /** Kubeflow Trainer v2: TrainJobs and runtimes. */
  TRAINER = 'trainer',
  /** Kubeflow training-operator v1: PyTorchJob, TFJob, MPIJob and the others. */
  TRAINING_OPERATOR_V1 = 'training-operator-v1',
  /** MPI operator v2: MPIJob v2beta1 over SSH. */
  MPI_OPERATOR = 'mpi-operator',
  /** KubeRay: Ray clusters, jobs and services. */
  KUBERAY = 'kuberay',
  /** Spark operator: SparkApplications. */
  SPARK_OPERATOR = 'spark-operator',
  /** KServe: InferenceServices, runtimes and graphs. */
  KSERVE = 'kserve',
  /** KServe's LLMInferenceService: several nodes, prefill and decode, routing. */
  KSERVE_LLM = 'kserve-llm',
  /** Kueue: queues, quotas and fair sharing. */
  KUEUE = 'kueue',
  /** Volcano: gangs, queues and its own Job. */
  VOLCANO = 'volcano',
  /** Coscheduling of scheduler-plugins, as a second scheduler. */
  SCHEDULER_PLUGINS = 'scheduler-plugins',
  /** KEDA: scaling by events and queries. */
  KEDA = 'keda',
  /** Cluster autoscaler, with settings for nodes that take long to start. */
  CLUSTER_AUTOSCALER = 'cluster-autoscaler',
  /** Node Feature Discovery: labels for the features of nodes. */
  NODE_FEATURE_DISCOVERY = 'node-feature-discovery',
  /** NVIDIA GPU operator, with the DCGM exporter. */
  GPU_OPERATOR = 'gpu-operator',
  /** Only the DCGM exporter, for nodes with drivers. GKE runs its own: disable that before you add this. */
  DCGM_EXPORTER = 'dcgm-exporter',
  /** Prometheus with its operator, Alertmanager and Grafana. */
  KUBE_PROMETHEUS_STACK = 'kube-prometheus-stack',
  /** Loki: stores logs in a bucket or on a volume. */
  LOKI = 'loki',
  /** Elastic's operator, for Elasticsearch and Kibana. */
  ECK_OPERATOR = 'eck-operator',
  /** Elasticsearch and Kibana for logs. */
  ELASTIC_STACK = 'elastic-stack',
  /** Fluent Bit: collects the logs of pods on every node. */
  FLUENT_BIT = 'fluent-bit',
  /** MLflow: runs, parameters and artifacts. */
  MLFLOW = 'mlflow',
  /** External Secrets: Secrets from a store outside the cluster. */
  EXTERNAL_SECRETS = 'external-secrets',
  /** Trivy operator: scans running images for known vulnerabilities. */
  TRIVY_OPERATOR = 'trivy-operator',
  /** Argo CD. */
  ARGO_CD = 'argo-cd',
}
