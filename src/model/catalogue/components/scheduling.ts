/** Queues, gangs and autoscaling. */
import { WEBHOOK_BUNDLES, aggregated, chart, confirmed, crds, part, since, unconfirmed, webhookCertificate } from '../sources';
import type { CatalogueComponent } from '../types';

export const SCHEDULING_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'kueue',
    title: 'Kueue: queues, quotas and fair sharing',
    version: 'v0.19.2',
    parts: [part('kueue', chart('oci://registry.k8s.io/kueue/charts', 'kueue', '0.19.2'))],
    namespace: 'kueue-system',
    crds: crds('kueue.x-k8s.io', 'admissionchecks', 'clusterqueues', 'cohorts', 'localqueues', 'multikueueclusters', 'multikueueconfigs',
      'provisioningrequestconfigs', 'resourceflavors', 'topologies', 'workloadpriorityclasses', 'workloads'),
    // It looks for the definitions of the jobs that it queues when it starts.
    after: ['cert-manager', 'jobset', 'lws', 'trainer', 'training-operator-v1', 'mpi-operator', 'kuberay', 'spark-operator'],
    ownedByControllers: [...WEBHOOK_BUNDLES, aggregated('kueue-batch-admin-role'), aggregated('kueue-batch-user-role'), webhookCertificate('kueue-webhook-server-cert', 'Kueue')],
    kubernetes: since('1.29', 'https://kueue.sigs.k8s.io/docs/installation/'),
    pin: unconfirmed('crds/kueue-v0.19.2; charts of Kueue have the version of its release'),
  },
  {
    name: 'volcano',
    title: 'Volcano: gangs, queues and its own Job',
    version: 'v1.15.1',
    parts: [part('volcano', chart('https://volcano-sh.github.io/helm-charts', 'volcano', '1.15.1'))],
    namespace: 'volcano-system',
    crds: [
      ...crds('batch.volcano.sh', 'cronjobs', 'jobs'),
      ...crds('scheduling.volcano.sh', 'podgroups', 'queues'),
      ...crds('bus.volcano.sh', 'commands'),
      ...crds('flow.volcano.sh', 'jobflows', 'jobtemplates'),
      ...crds('nodeinfo.volcano.sh', 'numatopologies'),
      ...crds('topology.volcano.sh', 'hypernodes'),
    ],
    ownedByControllers: WEBHOOK_BUNDLES,
    kubernetes: since('1.25', 'https://github.com/volcano-sh/volcano#kubernetes-compatibility (the matrix of earlier releases)'),
    pin: unconfirmed('crds/volcano-v1.15.1; charts of Volcano have the version of its release'),
  },
  {
    name: 'scheduler-plugins',
    title: 'Coscheduling of scheduler-plugins, as a second scheduler',
    version: 'v0.34.7',
    parts: [part('scheduler-plugins', chart('https://scheduler-plugins.sigs.k8s.io', 'scheduler-plugins', '0.34.7'), {
      values: { plugins: { enabled: ['Coscheduling'] } },
    })],
    namespace: 'scheduler-plugins',
    crds: [...crds('scheduling.x-k8s.io', 'elasticquotas', 'podgroups'), ...crds('appgroup.diktyo.x-k8s.io', 'appgroups'),
      ...crds('networktopology.diktyo.x-k8s.io', 'networktopologies'), ...crds('topology.node.k8s.io', 'noderesourcetopologies')],
    kubernetes: {
      from: '1.34', testedTo: '1.34', confirmed: false,
      source: 'https://github.com/kubernetes-sigs/scheduler-plugins (its minor version is that of the Kubernetes it was compiled with)',
    },
    pin: unconfirmed('crds/coscheduling-v0.34.7; the chart\'s version is not at hand'),
  },
  {
    name: 'keda',
    title: 'KEDA: scaling by events and queries',
    version: 'v2.20.2',
    parts: [part('keda', chart('https://kedacore.github.io/charts', 'keda', '2.20.2'))],
    namespace: 'keda',
    crds: [
      ...crds('keda.sh', 'clustertriggerauthentications', 'scaledjobs', 'scaledobjects', 'triggerauthentications'),
      ...crds('eventing.keda.sh', 'cloudeventsources', 'clustercloudeventsources'),
    ],
    ownedByControllers: [...WEBHOOK_BUNDLES, {
      group: 'apiregistration.k8s.io', kind: 'APIService', name: 'v1beta1.external.metrics.k8s.io', pointers: ['/spec/caBundle'],
      reason: 'KEDA fills in its authority',
    }],
    kubernetes: since('1.23', 'https://github.com/kedacore/charts/blob/main/keda/Chart.yaml (of 2.11; the policy is the three most recent minor versions)'),
    pin: confirmed('https://github.com/adfinis/helm-charts/pull/2005 (chart 2.20.2)'),
  },
  {
    name: 'cluster-autoscaler',
    title: 'Cluster autoscaler, with settings for nodes that start slowly',
    version: '1.35.0',
    parts: [part('cluster-autoscaler', chart('https://kubernetes.github.io/autoscaler', 'cluster-autoscaler', '9.59.0'), {
      values: {
        extraArgs: {
          'expander': 'least-waste', 'max-node-provision-time': '30m', 'scale-down-unneeded-time': '20m', 'balance-similar-node-groups': true,
          'enable-provisioning-requests': true, 'kube-api-content-type': 'application/vnd.kubernetes.protobuf',
        },
      },
    })],
    namespace: 'kube-system',
    crds: crds('autoscaling.x-k8s.io', 'provisioningrequests'),
    // GKE's is part of the cluster, and its settings are those of node pools and ComputeClasses.
    builtInto: ['gke'],
    onlyIn: { environments: ['gke', 'other'], reason: 'kind nodes are containers, which no autoscaler adds' },
    kubernetes: since('1.34', 'https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler#releases (its minor version is that of the Kubernetes it was tested with)', '1.35'),
    pin: confirmed('https://github.com/kubermatic/kubermatic/pull/16253 (chart 9.59.0 has 1.35.0)'),
  },
];
