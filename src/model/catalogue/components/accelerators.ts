/** GPUs: drivers, features of nodes, metrics. */
import { PROGRAM, WEBHOOK_BUNDLES, chart, confirmed, crds, part, since, unconfirmed } from '../sources';
import type { CatalogueComponent, ChartValues } from '../types';

/** Where GKE's nodes have the driver's libraries and programs. @see https://cloud.google.com/kubernetes-engine/docs/how-to/gpu-operator */
const GKE_DRIVER_ROOT = '/home/kubernetes/bin/nvidia';

/**
 * The exporter on GKE's nodes, which have no container runtime of NVIDIA's: driver and devices come from the node, GKE's device plugin names GPUs
 * by device, and only nodes with GPUs run it, whatever their taints. Lists replace those of the chart, whose list of metrics stays mounted.
 * @see https://github.com/GoogleCloudPlatform/prometheus-engine/tree/main/examples/nvidia-dcgm
 */
const EXPORTER_ON_GKE: ChartValues = {
  extraHostVolumes: [{ name: 'nvidia-install-dir-host', hostPath: GKE_DRIVER_ROOT }],
  extraVolumeMounts: [
    { name: 'exporter-metrics-volume', mountPath: '/etc/dcgm-exporter/default-counters.csv', subPath: 'default-counters.csv' },
    { name: 'nvidia-install-dir-host', mountPath: '/usr/local/nvidia', readOnly: true },
  ],
  extraEnv: [{ name: 'DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE', value: 'device-name' }, { name: 'LD_LIBRARY_PATH', value: '/usr/local/nvidia/lib64' }],
  // The chart forbids escalation, which a privileged container cannot.
  securityContext: { privileged: true, allowPrivilegeEscalation: true },
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'cloud.google.com/gke-accelerator', operator: 'Exists' }] }] } },
  },
  tolerations: [{ operator: 'Exists' }],
  // GKE takes it only where a quota names it: the part 'quota'.
  priorityClassName: 'system-node-critical',
};

export const ACCELERATOR_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'node-feature-discovery',
    title: 'Node Feature Discovery: labels nodes with their features',
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
    parts: [part('quota', PROGRAM), part('gpu-operator', chart('https://helm.ngc.nvidia.com/nvidia', 'gpu-operator', 'v26.7.0'), {
      values: { nfd: { enabled: false }, dcgmExporter: { serviceMonitor: { enabled: false } } },
      valuesIn: {
        // GKE installs driver and device plugin by itself; the paths are those of its nodes, the variable is for GKE 1.33 and later.
        gke: {
          driver: { enabled: false }, devicePlugin: { enabled: false }, hostPaths: { driverInstallDir: GKE_DRIVER_ROOT },
          toolkit: { installDir: GKE_DRIVER_ROOT, env: [{ name: 'RUNTIME_CONFIG_SOURCE', value: 'file' }] }, cdi: { enabled: true, default: true },
        },
      },
    })],
    namespace: 'gpu-operator',
    crds: [...crds('nvidia.com', 'clusterpolicies', 'gpuclusters', 'nvidiadrivers'), ...crds('resource.nvidia.com', 'computedomaincliques', 'computedomains')],
    needs: ['node-feature-discovery'],
    provides: ['gpu-metrics'],
    onlyIn: { environments: ['gke', 'other'], reason: 'kind nodes are containers, and the operator cannot change their host' },
    kubernetes: {
      from: '1.29', testedTo: '1.36', confirmed: false, source: 'https://docs.nvidia.com/datacenter/cloud-native/gpu-operator (26.3.2 added 1.36)',
    },
    ownedByControllers: WEBHOOK_BUNDLES,
    pin: confirmed('crds/gpu-operator-v26.7.0; charts have the version of the release'),
  },
  {
    name: 'dcgm-exporter',
    title: 'DCGM exporter alone, where drivers are installed already',
    version: '4.8.2',
    parts: [part('quota', PROGRAM), part('dcgm-exporter', chart('https://nvidia.github.io/dcgm-exporter/helm-charts', 'dcgm-exporter', '4.8.2'), {
      values: { serviceMonitor: { enabled: false } },
      valuesIn: { gke: EXPORTER_ON_GKE },
    })],
    namespace: 'gpu-monitoring',
    crds: [],
    provides: ['gpu-metrics'],
    onlyIn: { environments: ['gke', 'other'], reason: 'kind nodes are containers without GPUs' },
    kubernetes: { from: '1.19', source: 'https://github.com/NVIDIA/dcgm-exporter/blob/4.5.3-4.8.2/deployment/Chart.yaml', confirmed: true },
    pin: confirmed('https://github.com/NVIDIA/dcgm-exporter/blob/4.5.3-4.8.2/deployment/Chart.yaml'),
  },
];
