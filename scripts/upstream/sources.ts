/**
 * Which definitions Trainyard knows: those of the kinds that its constructs and engines write, and of what stands next to them. A version is the one
 * that the platform's catalogue installs.
 */
import type { UpstreamArchive } from '../../src/cli/crd/upstream/compact-format';

/** Definitions of one system. */
export interface UpstreamSource {
  readonly system: string;
  readonly version: string;
  readonly archive: UpstreamArchive;
  /** Paths in the archive; `*` is any part of a name. */
  readonly files: readonly string[];
  /** Kinds that are taken of them. @default - all */
  readonly only?: readonly string[];
  /** Whether the files are documents of OpenAPI, as Kubernetes has them for its own kinds. @default false */
  readonly openApi?: boolean;
}

/** Kubernetes' own kinds, which are in every cluster. */
export const KUBERNETES = 'kubernetes';

const goModule = (path: string, sum: string): UpstreamArchive => ({ module: path, sum });
const repository = (path: string, commit: string): UpstreamArchive => ({ repository: path, commit });

/** All of them, by name. */
export const SOURCES: readonly UpstreamSource[] = [
  { system: 'argo-cd', version: 'v3.5.1', archive: goModule('github.com/argoproj/argo-cd/v3', 'h1:jtwPLEFX9mNj3jSq88ugFcScGnOZVs2DWaXFuZxrRT8='), files: ['manifests/crds/*-crd.yaml'] },
  {
    system: 'cert-manager', version: 'v1.21.1', archive: goModule('github.com/cert-manager/cert-manager', 'h1:0LttV37Q5c2CBNoHkjuI8sLKTXWZDC2SwQkxrBMKV9w='),
    files: ['deploy/crds/cert-manager.io_*.yaml'],
  },
  { system: 'compute-class', version: '1.34', archive: repository('github.com/GoogleCloudPlatform/compute-class-api', '8067eaeb319407121f5559b07319f5fda7b6725d'), files: ['cloud.google.com_computeclasses.yaml'] },
  {
    system: 'config-connector', version: 'v1.155.1', archive: repository('github.com/GoogleCloudPlatform/k8s-config-connector', '033afecec0b66d43ca04d9bfc20b43e4453c2a09'), files: ['config/crds/resources/apiextensions.k8s.io_v1_customresourcedefinition_*.yaml'],
    only: [
      'ArtifactRegistryRepository', 'ContainerCluster', 'ContainerNodePool', 'FilestoreInstance', 'IAMPolicyMember', 'IAMServiceAccount', 'RedisInstance', 'SQLInstance', 'StorageBucket',
    ],
  },
  {
    system: 'coscheduling', version: 'v0.34.7', archive: goModule('sigs.k8s.io/scheduler-plugins', 'h1:GENSA4rKpCKBrPvNSo2AV2QHU7j3a6LT14kNlHhXfeg='),
    files: ['config/crd/bases/scheduling.x-k8s.io_podgroups.yaml'],
  },
  {
    system: 'external-secrets', version: 'v2.9.0', archive: repository('github.com/external-secrets/external-secrets', '378bdb622ed9712ef4a58370f6a17af033b7d343'), files: ['config/crds/bases/external-secrets.io_*.yaml'],
    only: ['ClusterExternalSecret', 'ClusterSecretStore', 'ExternalSecret', 'SecretStore'],
  },
  { system: 'flux-helm', version: 'v1.6.3', archive: goModule('github.com/fluxcd/helm-controller', 'h1:MSiDP/s8xRSkO3g11vBiDStxfmJ5ZVdwDEpW7BSE/UA='), files: ['config/crd/bases/*.yaml'] },
  { system: 'flux-kustomize', version: 'v1.9.4', archive: goModule('github.com/fluxcd/kustomize-controller', 'h1:VBnBMhnemqnE5Zca2AoG2gC4472MoiTmk9rdqvLoMcY='), files: ['config/crd/bases/*.yaml'] },
  {
    system: 'flux-source', version: 'v1.9.1', archive: goModule('github.com/fluxcd/source-controller', 'h1:FF8XTxLND/pXzVtUESKURUDiItFJQDZBZkbHvZimN8s='), files: ['config/crd/bases/*.yaml'],
    only: ['GitRepository', 'HelmChart', 'HelmRepository', 'OCIRepository'],
  },
  {
    system: 'gateway-api', version: 'v1.6.1', archive: goModule('sigs.k8s.io/gateway-api', 'h1:mock6phZbI6rvZerwrVNk7hVNymQgHo+6sJ81Ia7ftY='),
    files: ['config/crd/standard/gateway.networking.k8s.io_*.yaml'],
  },
  { system: 'gpu-operator', version: 'v26.7.0', archive: repository('github.com/NVIDIA/gpu-operator', '10ee5b3638b89e11e949412aafa5ba99279c3721'), files: ['deployments/gpu-operator/crds/*.yaml'] },
  { system: 'istio', version: '1.29.0', archive: goModule('istio.io/api', 'h1:E4rokccO3xqtxWd2zmLjlq+sKuWakrzmskhaFNFqCbs='), files: ['kubernetes/customresourcedefinitions.gen.yaml'] },
  {
    system: 'jobset', version: 'v0.12.0', archive: goModule('sigs.k8s.io/jobset', 'h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ='), files: ['config/components/crd/bases/*.yaml'],
  },
  { system: 'kai-scheduler', version: 'v0.13.0', archive: repository('github.com/kai-scheduler/KAI-Scheduler', '5d35ecab74e693d6f40309d2e23a68b8ac138571'), files: ['deployments/kai-scheduler/crds/*.yaml'], only: ['PodGroup', 'Queue'] },
  {
    system: 'katib', version: 'v0.19.0', archive: goModule('github.com/kubeflow/katib', 'h1:uexj303nRkGtTFtTkY4McCt6J0TCtnerX3i3E7TRA5M='), files: ['manifests/v1beta1/components/crd/*.yaml'],
  },
  { system: 'keda', version: 'v2.20.2', archive: goModule('github.com/kedacore/keda/v2', 'h1:SR60v8uIcelbveS8n/1jcl8tLdBBIbHMxmdOHw8tKqA='), files: ['config/crd/bases/keda.sh_*.yaml'] },
  {
    system: 'knative-eventing', version: 'v0.49.2', archive: goModule('knative.dev/eventing', 'h1:eUrW+9EHznHGS/cwO/SpCIVqY+ZRyoRO+n0RLnYlIj0='), files: ['config/core/resources/*.yaml'],
    only: ['Broker', 'Trigger'],
  },
  {
    system: 'knative-serving', version: 'v0.50.0', archive: goModule('knative.dev/serving', 'h1:9XUQq2yqUPN1YZUuGH6nF8IMvuumNvGXzCrSTYu44bA='), files: ['config/core/300-resources/*.yaml'],
    only: ['Configuration', 'Revision', 'Route', 'Service'],
  },
  {
    system: 'kserve', version: 'v0.20.0', archive: goModule('github.com/kserve/kserve', 'h1:Bs7HxmGV4KFqqptDcWseKv+mwD4YOYHJWcuVgPG2Gug='),
    files: ['config/crd/full/serving.kserve.io_*.yaml', 'config/crd/full/*/serving.kserve.io_*.yaml'],
  },
  {
    system: 'kubeflow-manifests', version: '26.03', archive: repository('github.com/kubeflow/manifests', 'd68ebc7fab366ab40ddd1541d2ec22febb31bc83'),
    files: ['applications/admission-webhook/upstream/base/crd.yaml', 'applications/*/*/upstream/crd/bases/*kubeflow.org_*.yaml', 'applications/*/upstream/crd/bases/kubeflow.org_*.yaml'],
    only: ['Notebook', 'PodDefault', 'Profile', 'Tensorboard'],
  },
  {
    system: 'kubeflow-trainer', version: 'v2.3.0', archive: goModule('github.com/kubeflow/trainer/v2', 'h1:Je+e7zvTLzB4qW09J1fB7pZrqvPtWuGng2NqdN5p5QU='), files: ['manifests/base/crds/*.yaml'],
  },
  {
    system: 'kubeflow-training-operator', version: 'v1.9.4', archive: goModule('github.com/kubeflow/training-operator', 'h1:MjYXzeaHGBmF47BlhCo6+Mb7ypHrVfO6vsys1ZHF56A='),
    files: ['manifests/base/crds/*.yaml'],
  },
  {
    system: 'kuberay', version: 'v1.7.0', archive: goModule('github.com/ray-project/kuberay/ray-operator', 'h1:Yt/5N7vBQACL81UEF4A192btVfczHNJ4PFlebj6mvsw='), files: ['config/crd/bases/*.yaml'],
  },
  {
    system: KUBERNETES, version: 'v1.36.3', archive: goModule('k8s.io/kubernetes', 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o='), openApi: true,
    files: ['api/openapi-spec/v3/api__v1_openapi.json', 'api/openapi-spec/v3/apis__*__v1_openapi.json', 'api/openapi-spec/v3/apis__autoscaling__v2_openapi.json'],
  },
  { system: 'kueue', version: 'v0.19.2', archive: goModule('sigs.k8s.io/kueue', 'h1:mPNzr37u0nwI7ikST5QQl5gg6EgtYOAvC9ZbTgywdN8='), files: ['config/components/crd/bases/*.yaml'] },
  {
    system: 'lws', version: 'v0.10.0', archive: goModule('sigs.k8s.io/lws', 'h1:KqNtGMIJAGj4QpZ9P+F3NixyNyRsnWvCIxDT05xjGTA='), files: ['config/crd/bases/leaderworkerset.x-k8s.io_*.yaml'],
  },
  { system: 'mpi-operator', version: 'v0.8.0', archive: goModule('github.com/kubeflow/mpi-operator', 'h1:22EccUiO4VDooG4TooesdE8o8euGVj89PIRhiP24SRE='), files: ['manifests/base/kubeflow.org_mpijobs.yaml'] },
  {
    system: 'node-feature-discovery', version: 'v0.19.0', archive: goModule('sigs.k8s.io/node-feature-discovery', 'h1:9CYm16vjSIbNO5Z1Y67rcrfy51YWmy3+6wjiWzJbrC4='),
    files: ['deployment/base/nfd-crds/nfd-api-crds.yaml'],
  },
  {
    system: 'pipelines', version: '26.03', archive: repository('github.com/kubeflow/manifests', 'd68ebc7fab366ab40ddd1541d2ec22febb31bc83'),
    files: ['applications/pipeline/upstream/base/crds/pipelines.kubeflow.org_*.yaml', 'applications/pipeline/upstream/base/pipeline/cluster-scoped/*-crd.yaml'],
  },
  {
    system: 'prometheus-operator', version: 'v0.93.0', archive: goModule('github.com/prometheus-operator/prometheus-operator', 'h1:AohlYJT+En8TmNpAcEUJ3GsaJTAqfEBwHmGTVpRm/Io='),
    files: ['example/prometheus-operator-crd/monitoring.coreos.com_*.yaml'], only: ['PodMonitor', 'PrometheusRule', 'ServiceMonitor'],
  },
  { system: 'provisioning-request', version: '2026-08', archive: repository('github.com/kubernetes/autoscaler', '55c37cd5eb550756c5ccc5a89e9068d77797e575'), files: ['cluster-autoscaler/apis/config/crd/autoscaling.x-k8s.io_provisioningrequests.yaml'] },
  {
    system: 'spark-operator', version: 'v2.5.2', archive: goModule('github.com/kubeflow/spark-operator/v2', 'h1:6nX2UhwSfnYi1mtwczgFfJTMeLSL/1ajTvkFe8R7Vdc='), files: ['config/crd/bases/*.yaml'],
  },
  {
    system: 'volcano', version: 'v1.15.1', archive: goModule('volcano.sh/volcano', 'h1:M0iGzhy1dvod2GFy1QiyWdv1jmmNfHW4+2WoRU7CIAk='), files: ['config/crd/*/bases/*.yaml'],
    only: ['Job', 'PodGroup', 'Queue', 'CronJob'],
  },
];
