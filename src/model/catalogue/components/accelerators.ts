/** GPUs: drivers, features of nodes, metrics. */
import { WEBHOOK_BUNDLES, chart, confirmed, crds, part, since, unconfirmed } from '../sources';
import type { CatalogueComponent } from '../types';

export const ACCELERATOR_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'node-feature-discovery',
    title: 'Node Feature Discovery: labels of what nodes have',
    version: 'v0.19.0',
    parts: [part('node-feature-discovery', chart('https://kubernetes-sigs.github.io/node-feature-discovery/charts', 'node-feature-discovery', '0.19.0'))],
    namespace: 'node-feature-discovery',
    crds: crds('nfd.k8s-sigs.io', 'nodefeaturegroups', 'nodefeaturerules', 'nodefeatures'),
    kubernetes: since('1.24', 'https://kubernetes-sigs.github.io/node-feature-discovery/stable/deployment/'),
    pin: unconfirmed('crds/node-feature-discovery-v0.19.0; charts have the version of the release'),
  },
  {
    name: 'gpu-operator',
    title: 'NVIDIA GPU operator, with the DCGM exporter',
    version: 'v26.7.0',
    parts: [part('gpu-operator', chart('https://helm.ngc.nvidia.com/nvidia', 'gpu-operator', 'v26.7.0'), {
      values: { nfd: { enabled: false }, dcgmExporter: { serviceMonitor: { enabled: false } } },
      valuesIn: {
        // GKE installs driver and device plugin by itself; the paths are those of its nodes, the variable is for GKE 1.33 and later.
        gke: {
          driver: { enabled: false }, devicePlugin: { enabled: false }, hostPaths: { driverInstallDir: '/home/kubernetes/bin/nvidia' },
          toolkit: { installDir: '/home/kubernetes/bin/nvidia', env: [{ name: 'RUNTIME_CONFIG_SOURCE', value: 'file' }] }, cdi: { enabled: true, default: true },
        },
      },
    })],
    namespace: 'gpu-operator',
    crds: [...crds('nvidia.com', 'clusterpolicies', 'gpuclusters', 'nvidiadrivers'), ...crds('resource.nvidia.com', 'computedomaincliques', 'computedomains')],
    needs: ['node-feature-discovery'],
    provides: ['gpu-metrics'],
    onlyIn: { environments: ['gke', 'other'], reason: 'nodes of kind are containers, whose host the operator cannot change' },
    kubernetes: {
      from: '1.29', testedTo: '1.36', confirmed: false, source: 'https://docs.nvidia.com/datacenter/cloud-native/gpu-operator (26.3.2 added 1.36)',
    },
    ownedByControllers: WEBHOOK_BUNDLES,
    pin: confirmed('crds/gpu-operator-v26.7.0; charts have the version of the release'),
  },
  {
    name: 'dcgm-exporter',
    title: 'DCGM exporter alone, where drivers are there already',
    version: '4.8.2',
    parts: [part('dcgm-exporter', chart('https://nvidia.github.io/dcgm-exporter/helm-charts', 'dcgm-exporter', '4.8.2'), {
      values: { serviceMonitor: { enabled: false } },
    })],
    namespace: 'gpu-monitoring',
    crds: [],
    provides: ['gpu-metrics'],
    onlyIn: { environments: ['gke', 'other'], reason: 'nodes of kind are containers without GPUs' },
    kubernetes: since('1.13', 'https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/Chart.yaml (of 2.4.1)'),
    pin: unconfirmed('https://docs.nvidia.com/datacenter/cloud-native/gpu-operator (26.3.2 has v4.5.3-4.8.2); the chart\'s version is not at hand'),
  },
];
