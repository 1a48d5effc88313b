/** The monitors of GPUs find the exporter that the cluster has. What each installation creates is recorded here from its own manifests. */
import { App, Chart, Testing } from 'cdk8s';
import { GpuExporter, Monitoring, type GpuMonitoringProps } from '../../../src/constructs/monitoring';
import {
  ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, PlatformPreset, type KubeflowPlatformProps,
} from '../../../src/constructs/platform';
import { planPlatform } from '../../../src/manifests/platform/plan';
import { component } from '../../../src/model/catalogue/catalogue';
import { resolveComponents } from '../../../src/model/catalogue/resolve';
import { ServiceMonitorLike, finds, type Recorded } from './support/scraped';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

/** What each installation creates: its Service, or its pods where there is none. */
const RECORDED: { readonly [exporter in GpuExporter]: Recorded } = {
  // NVIDIA/gpu-operator, assets/state-dcgm-exporter/0400_service.yaml
  [GpuExporter.GPU_OPERATOR]: { kind: 'Service', namespace: 'gpu-operator', labels: { app: 'nvidia-dcgm-exporter' }, ports: ['gpu-metrics'] },
  // NVIDIA/dcgm-exporter 4.5.3-4.8.2, deployment/templates/service.yaml and _helpers.tpl, of the release 'dcgm-exporter'
  [GpuExporter.CHART]: {
    kind: 'Service', namespace: 'gpu-monitoring', ports: ['metrics'],
    labels: {
      'helm.sh/chart': 'dcgm-exporter-4.8.2', 'app.kubernetes.io/name': 'dcgm-exporter', 'app.kubernetes.io/instance': 'dcgm-exporter',
      'app.kubernetes.io/component': 'dcgm-exporter', 'app.kubernetes.io/version': '4.8.2', 'app.kubernetes.io/managed-by': 'Helm',
    },
  },
  // Pods of GKE's DaemonSet gke-managed-system/dcgm-exporter, which Google's own ClusterPodMonitoring selects by this label and port.
  [GpuExporter.GKE_MANAGED]: {
    kind: 'Pod', namespace: 'gke-managed-system', labels: { 'app.kubernetes.io/name': 'gke-managed-dcgm-exporter' }, ports: ['metrics'],
  },
};

const EXPORTERS = Object.values(GpuExporter);

function monitored(props: GpuMonitoringProps = {}, platform?: Omit<KubeflowPlatformProps, 'delivery'>) {
  const app = new App({ outdir: Testing.app().outdir });
  if (platform !== undefined) {
    new KubeflowPlatform(app, 'ml', { ...platform, delivery: Delivery.kustomization() });
  }
  const chart = new Chart(app, 'test', { namespace: 'monitoring' });
  const monitoring = Monitoring.forGpus(chart, 'Gpus', props);
  const objects = Testing.synth(chart) as ServiceMonitorLike[];
  return { alerts: monitoring.alertNames, objects, found: EXPORTERS.filter((exporter) => finds(objects, RECORDED[exporter])) };
}

test.each(EXPORTERS)('of %s find what it creates, and nothing else', (exporter) => {
  expect(monitored({ exporter }).found).toEqual([exporter]);
});

test('find every installation where nothing says which there is', () => {
  expect(monitored().found).toEqual(EXPORTERS);
  expect(monitored({}, { environment: PlatformEnvironment.KIND, components: [PlatformComponent.trainingOperator()] }).found).toEqual(EXPORTERS);
});

test.each<readonly [string, Omit<KubeflowPlatformProps, 'delivery'>, GpuExporter]>([
  ['a preset on GKE, which runs its own', { environment: PlatformEnvironment.GKE, preset: PlatformPreset.TRAINING }, GpuExporter.GKE_MANAGED],
  ['a preset elsewhere, which installs the GPU operator', { environment: PlatformEnvironment.OTHER, preset: PlatformPreset.TRAINING }, GpuExporter.GPU_OPERATOR],
  ['the chart on GKE', { environment: PlatformEnvironment.GKE, preset: PlatformPreset.TRAINING, components: [PlatformComponent.of(ComponentName.DCGM_EXPORTER)] }, GpuExporter.CHART],
  ['a GPU operator that somebody else installs', {
    environment: PlatformEnvironment.GKE, components: [PlatformComponent.trainingOperator()], existing: [{ name: ComponentName.GPU_OPERATOR }],
  }, GpuExporter.GPU_OPERATOR],
])('find what the platform of the app has: %s', (_what, platform, exporter) => {
  expect(monitored({}, platform).found).toEqual([exporter]);
  // What the program says goes first.
  expect(monitored({ exporter: GpuExporter.CHART }, platform).found).toEqual([GpuExporter.CHART]);
});

test('leave out what GKE\'s exporter has no metrics for', () => {
  const { alerts, objects } = monitored({ exporter: GpuExporter.GKE_MANAGED });
  expect(alerts).toEqual(['GpuIdle', 'GpuHot']);
  expect(JSON.stringify(objects)).not.toMatch(/XID|ROW_REMAP|REMAPPED/);
  expect(monitored({ exporter: GpuExporter.CHART }).alerts).toEqual(['GpuIdle', 'GpuXidError', 'GpuMemoryBroken', 'GpuHot']);
});

describe('on GKE', () => {
  const plan = (name: string, environment: 'gke' | 'other') => {
    const components = [{ name }, ...name === 'gpu-operator' ? [{ name: 'node-feature-discovery' }] : []];
    const spec = { environment, components, existing: [], artifactStore: { kind: 'in-cluster' }, database: { kind: 'in-cluster' }, identity: { kind: 'dex', connectors: [] } } as const;
    return planPlatform(spec, resolveComponents(spec)).components.find((each) => each.name === name)!;
  };

  test('presets install no exporter', () => {
    for (const preset of [PlatformPreset.TRAINING, PlatformPreset.SERVING]) {
      const platform = new KubeflowPlatform(Testing.app(), 'ml', { environment: PlatformEnvironment.GKE, preset, delivery: Delivery.kustomization() });
      expect(platform.waves.flat()).not.toContain('dcgm-exporter');
      expect(platform.waves.flat()).not.toContain('gpu-operator');
    }
  });

  test('the chart runs on nodes with GPUs alone, with the driver of the node, and reports pods', () => {
    const chart = plan('dcgm-exporter', 'gke').parts.find(({ kind }) => kind === 'helm')!;
    expect(chart).toMatchObject({
      values: {
        extraHostVolumes: [{ name: 'nvidia-install-dir-host', hostPath: '/home/kubernetes/bin/nvidia' }],
        // The chart's own list, which this one replaces, has its counters.
        extraVolumeMounts: [{ name: 'exporter-metrics-volume', subPath: 'default-counters.csv' }, { name: 'nvidia-install-dir-host', mountPath: '/usr/local/nvidia' }],
        extraEnv: expect.arrayContaining([{ name: 'DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE', value: 'device-name' }]),
        securityContext: { privileged: true, allowPrivilegeEscalation: true },
        tolerations: [{ operator: 'Exists' }],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'cloud.google.com/gke-accelerator', operator: 'Exists' }] }] } } },
        priorityClassName: 'system-node-critical',
      },
    });
    expect(plan('dcgm-exporter', 'other').parts).toMatchObject([{ kind: 'helm', values: { serviceMonitor: { enabled: false } } }]);
  });

  test.each(['dcgm-exporter', 'gpu-operator'])('a quota lets %s have pods of the system\'s priority', (name) => {
    const { parts } = plan(name, 'gke');
    expect(parts[0]).toMatchObject({
      kind: 'program',
      objects: [
        { kind: 'Namespace', metadata: { name: component(name).namespace } },
        { kind: 'ResourceQuota', metadata: { namespace: component(name).namespace }, spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass' }] } } },
      ],
    });
    expect(plan(name, 'other').parts.map(({ kind }) => kind)).toEqual(['helm']);
  });

  test('kustomize is given the namespace once', () => {
    const platform = new KubeflowPlatform(Testing.app(), 'ml', {
      environment: PlatformEnvironment.GKE, components: [PlatformComponent.of(ComponentName.DCGM_EXPORTER)], delivery: Delivery.kustomization(),
    });
    expect(Object.values(platform.kustomizationFiles()).join('---\n').match(/kind: Namespace/g)).toHaveLength(1);
  });
});
