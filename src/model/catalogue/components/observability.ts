/** Metrics, lines and experiments. */
import { lokiValues } from './loki-values';
import { PROGRAM, WEBHOOK_BUNDLES, chart, confirmed, crds, part, since } from '../sources';
import type { CatalogueComponent } from '../types';

export const OBSERVABILITY_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'kube-prometheus-stack',
    title: 'Prometheus with its operator, Alertmanager and Grafana',
    version: 'v0.93.0',
    parts: [part('kube-prometheus-stack', chart('https://prometheus-community.github.io/helm-charts', 'kube-prometheus-stack', '88.2.0'), {
      values: {
        // Monitors and rules of all namespaces, whatever release they say they are of.
        prometheus: {
          prometheusSpec: {
            serviceMonitorSelectorNilUsesHelmValues: false, podMonitorSelectorNilUsesHelmValues: false, ruleSelectorNilUsesHelmValues: false,
          },
        },
        grafana: { sidecar: { dashboards: { enabled: true, label: 'grafana_dashboard', searchNamespace: 'ALL' } } },
      },
      valuesIn: {
        // The control plane of GKE is not the cluster's to scrape.
        gke: {
          kubeControllerManager: { enabled: false }, kubeScheduler: { enabled: false }, kubeEtcd: { enabled: false }, kubeProxy: { enabled: false },
        },
      },
    })],
    namespace: 'monitoring',
    crds: crds('monitoring.coreos.com', 'alertmanagerconfigs', 'alertmanagers', 'podmonitors', 'probes', 'prometheusagents', 'prometheuses', 'prometheusrules',
      'scrapeconfigs', 'servicemonitors', 'thanosrulers'),
    ownedByControllers: WEBHOOK_BUNDLES,
    kubernetes: since('1.19', 'https://github.com/prometheus-community/helm-charts/blob/main/charts/kube-prometheus-stack/Chart.yaml (of 67.8.0)'),
    pin: confirmed('https://github.com/sapcc/helm-charts/pull/12596 (88.2.0 has v0.93.0)'),
  },
  {
    name: 'loki',
    title: 'Loki: stores log lines in a bucket or on a volume',
    version: '3.7.6',
    parts: [part('loki', chart('https://grafana-community.github.io/helm-charts', 'loki', '18.11.0'), { values: lokiValues({ retentionHours: 30 * 24 }) })],
    namespace: 'logging',
    crds: [],
    provides: ['log-store'],
    kubernetes: since('1.25', 'https://github.com/grafana-community/helm-charts/blob/loki-18.11.0/charts/loki/Chart.yaml'),
    pin: confirmed('https://github.com/grafana-community/helm-charts/blob/loki-18.11.0/charts/loki/Chart.yaml (18.11.0 has 3.7.6)'),
  },
  {
    name: 'eck-operator',
    title: 'Elastic\'s operator, for Elasticsearch and Kibana',
    version: '3.5.0',
    parts: [part('eck-operator', chart('https://helm.elastic.co', 'eck-operator', '3.5.0'))],
    namespace: 'elastic-system',
    crds: [...crds('elasticsearch.k8s.elastic.co', 'elasticsearches'), ...crds('kibana.k8s.elastic.co', 'kibanas'), ...crds('logstash.k8s.elastic.co', 'logstashes'),
      ...crds('beat.k8s.elastic.co', 'beats'), ...crds('agent.k8s.elastic.co', 'agents'), ...crds('apm.k8s.elastic.co', 'apmservers'),
      ...crds('stackconfigpolicy.k8s.elastic.co', 'stackconfigpolicies'), ...crds('maps.k8s.elastic.co', 'elasticmapsservers'),
      ...crds('enterprisesearch.k8s.elastic.co', 'enterprisesearches')],
    ownedByControllers: WEBHOOK_BUNDLES,
    kubernetes: since('1.21', 'https://github.com/elastic/cloud-on-k8s/blob/main/deploy/eck-operator/Chart.yaml (of 2.16.0)'),
    pin: confirmed('https://github.com/k8s-operatorhub/community-operators/pull/8938 (3.5.0)'),
  },
  {
    // Apart from the operator: a definition has to be there before its objects are looked at.
    name: 'elastic-stack',
    title: 'Elasticsearch and Kibana for log lines',
    version: '9.1.0',
    parts: [part('stack', PROGRAM)],
    namespace: 'logging',
    crds: [],
    needs: ['eck-operator'],
    provides: ['log-store'],
    kubernetes: since('1.21', 'https://github.com/elastic/cloud-on-k8s/blob/main/deploy/eck-operator/Chart.yaml (of 2.16.0)'),
    pin: confirmed('objects of this library'),
  },
  {
    name: 'fluent-bit',
    title: 'Fluent Bit: reads the log lines of pods on every node',
    version: '0.56.0',
    parts: [part('fluent-bit', chart('https://fluent.github.io/helm-charts', 'fluent-bit', '0.56.0'))],
    namespace: 'logging',
    crds: [],
    needs: ['log-store'],
    kubernetes: since('1.19', 'https://github.com/fluent/helm-charts/tree/main/charts/fluent-bit (names none; its Ingress is of a version that is served since then)'),
    pin: confirmed('https://github.com/szinn/k8s-homelab/pull/7421 (chart 0.56.0)'),
  },
  {
    name: 'mlflow',
    title: 'MLflow: runs, parameters and artifacts',
    version: '3.7.0',
    parts: [part('mlflow', chart('https://community-charts.github.io/helm-charts', 'mlflow', '1.8.1'))],
    namespace: 'mlflow',
    crds: [],
    kubernetes: since('1.16', 'https://github.com/community-charts/helm-charts/blob/main/charts/mlflow/Chart.yaml (of 1.12.0)'),
    pin: confirmed('https://github.com/community-charts/helm-charts/issues/401 (1.8.1 has 3.7.0)'),
  },
];
