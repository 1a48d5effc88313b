/** What runs jobs: our operator, Kubeflow's two, the sets under them, Ray and Spark. */
import {
  KUBEFLOW_REPOSITORY, PROGRAM, WEBHOOK_BUNDLES, chart, confirmed, crds, git, ownObjects, part, since, unconfirmed,
} from '../sources';
import type { CatalogueComponent } from '../types';

export const TRAINING_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'training-operator',
    title: 'Trainyard\'s own operator for MLTrainingJobs',
    version: 'v1alpha1',
    parts: [part('operator', PROGRAM)],
    namespace: 'trainyard-system',
    crds: crds('ml.collabnix.io', 'mltrainingjobs'),
    after: ['kueue', 'kube-prometheus-stack'],
    features: { monitoring: { title: 'its metrics, alerts and dashboard', needs: ['kube-prometheus-stack'] } },
    kubernetes: ownObjects('1.30', 'https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ (the policy on who may create which jobs)'),
    pin: confirmed('objects of this library'),
  },
  {
    name: 'jobset',
    title: 'JobSet: several Jobs as one',
    version: 'v0.12.0',
    parts: [part('jobset', chart('oci://registry.k8s.io/jobset/charts', 'jobset', '0.12.0'))],
    namespace: 'jobset-system',
    crds: crds('jobset.x-k8s.io', 'jobsets'),
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: '', kind: 'Secret', name: 'jobset-webhook-server-cert', pointers: ['/data'], reason: 'JobSet creates the certificate of its webhook',
    }],
    kubernetes: since('1.21', 'https://jobset.sigs.k8s.io/docs/installation/'),
    pin: confirmed('https://github.com/kubeflow/trainer/blob/v2.3.0/charts/kubeflow-trainer/Chart.yaml (jobset 0.12.0)'),
  },
  {
    name: 'lws',
    title: 'LeaderWorkerSet: groups of pods with a leader',
    version: 'v0.10.0',
    parts: [part('lws', chart('oci://registry.k8s.io/lws/charts', 'lws', '0.10.0'))],
    namespace: 'lws-system',
    crds: crds('leaderworkerset.x-k8s.io', 'leaderworkersets'),
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: '', kind: 'Secret', name: 'lws-webhook-server-cert', pointers: ['/data'], reason: 'LeaderWorkerSet creates the certificate of its webhook',
    }],
    kubernetes: since('1.26', 'https://lws.sigs.k8s.io/docs/installation/ (of 0.8.0)'),
    pin: unconfirmed('crds/lws-v0.10.0; earlier charts have the version of their release'),
  },
  {
    name: 'trainer',
    title: 'Kubeflow Trainer v2: TrainJobs and runtimes',
    version: 'v2.3.0',
    parts: [part('kubeflow-trainer', chart('oci://ghcr.io/kubeflow/charts', 'kubeflow-trainer', '2.3.0'), {
      // JobSet is a component of its own, which others use too.
      values: { jobset: { install: false }, runtimes: { defaultEnabled: true } },
    })],
    namespace: 'kubeflow-system',
    crds: crds('trainer.kubeflow.org', 'clustertrainingruntimes', 'trainingruntimes', 'trainjobs'),
    needs: ['jobset'],
    after: ['kubeflow-base', 'volcano', 'scheduler-plugins'],
    kubernetes: { from: '1.31', source: 'https://kubeflow.org/docs/components/trainer/operator-guides/installation/', confirmed: true },
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: '', kind: 'Secret', name: 'kubeflow-trainer-webhook-cert', pointers: ['/data'], reason: 'Trainer creates the certificate of its webhook',
    }],
    pin: confirmed('https://github.com/kubeflow/trainer/blob/v2.3.0/charts/kubeflow-trainer/Chart.yaml'),
  },
  {
    name: 'training-operator-v1',
    title: 'Kubeflow training-operator v1: PyTorchJob, TFJob, MPIJob and the others',
    version: 'v1.9.4',
    parts: [part('operator', git('https://github.com/kubeflow/trainer', 'manifests/overlays/kubeflow', 'v1.9.4'))],
    namespace: 'kubeflow',
    crds: crds('kubeflow.org', 'jaxjobs', 'mpijobs', 'paddlejobs', 'pytorchjobs', 'tfjobs', 'xgboostjobs'),
    needs: ['kubeflow-base'],
    after: ['volcano', 'scheduler-plugins'],
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: '', kind: 'Secret', name: 'training-operator-webhook-cert', pointers: ['/data'], reason: 'the operator creates the certificate of its webhook',
    }],
    kubernetes: since('1.25', 'https://github.com/kubeflow/trainer/blob/release-1.9/.github/workflows/integration-tests.yaml (an earlier 1.x tested from there)'),
    pin: confirmed('crds/kubeflow-training-operator-v1.9.4'),
  },
  {
    name: 'mpi-operator',
    title: 'MPI operator v2: MPIJob v2beta1 over SSH',
    version: 'v0.8.0',
    parts: [part('operator', git('https://github.com/kubeflow/mpi-operator', 'manifests/overlays/standalone', 'v0.8.0'))],
    namespace: 'mpi-operator',
    crds: crds('kubeflow.org', 'mpijobs'),
    kubernetes: since('1.29', 'https://github.com/kubeflow/mpi-operator/blob/master/.github/workflows/main.yml'),
    pin: confirmed('crds/mpi-operator-v0.8.0'),
  },
  {
    name: 'kuberay',
    title: 'KubeRay: clusters, jobs and services of Ray',
    version: 'v1.7.0',
    parts: [part('kuberay-operator', chart('https://ray-project.github.io/kuberay-helm/', 'kuberay-operator', '1.7.0'))],
    namespace: 'kuberay-system',
    crds: crds('ray.io', 'rayclusters', 'raycronjobs', 'rayjobs', 'rayservices'),
    after: ['volcano', 'scheduler-plugins'],
    kubernetes: since('1.23', 'https://ray-project.github.io/kuberay/deploy/installation'),
    pin: unconfirmed('crds/kuberay-v1.7.0; charts of KubeRay have the version of its release'),
  },
  {
    name: 'spark-operator',
    title: 'Spark operator: SparkApplications',
    version: 'v2.5.2',
    parts: [part('spark-operator', chart('https://kubeflow.github.io/spark-operator', 'spark-operator', '2.5.2'), {
      // All namespaces: the chart's own default is `default` alone.
      values: { spark: { jobNamespaces: [''] }, webhook: { enable: true } },
    })],
    namespace: 'spark-operator',
    crds: crds('sparkoperator.k8s.io', 'scheduledsparkapplications', 'sparkapplications', 'sparkconnects'),
    after: ['volcano'],
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: '', kind: 'Secret', name: 'spark-operator-webhook-certs', pointers: ['/data'], reason: 'the operator creates the certificate of its webhook',
    }],
    kubernetes: since('1.16', 'https://github.com/kubeflow/spark-operator/tree/master/charts/spark-operator-chart (of 2.4.0)'),
    pin: unconfirmed(`crds/spark-operator-v2.5.2; ${KUBEFLOW_REPOSITORY} 26.03 has 2.5.0, and charts have the version of the release`),
  },
];
