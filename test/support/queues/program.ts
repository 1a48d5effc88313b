/** A program with every option of queues, for the tests of constructs and for the API server. */
import { Duration, Size, type Chart } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Accelerator, Gpu, TolerationEffect, Tpu } from '../../../src';
import {
  Capacity, GkeClusterReference, GpuNodePool, GpuResourceFlavors, NodeCount, QueuedProvisioningCheck,
} from '../../../src/constructs/gke';
import {
  AdmissionCheck, ClusterQueue, Cohort, FlavorPreference, FlavorSearch, GpuTopology, LocalQueue, MultiKueue, MultiKueueCluster, MultiKueueSource,
  PreemptionWithinQueue, QueueingStrategy, Quota, ReclaimWithinCohort, ResourceFlavor, StopPolicy, WorkloadPriorityClass,
} from '../../../src/constructs/queues';

/** Adds queues with all options. */
export function queueProgram(chart: Chart): { readonly local: LocalQueue; readonly research: ClusterQueue } {
  const topology = new GpuTopology(chart, 'Topology', { name: 'gke' });
  const pool = new GpuNodePool(chart, 'H100', {
    name: 'h100', cluster: GkeClusterReference.named('ml', { location: 'us-central1' }), accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g'),
    size: NodeCount.total(0, 8), capacity: [Capacity.QUEUED], zones: ['us-central1-a'],
  });
  const [h100] = new GpuResourceFlavors(chart, 'Flavors', { pools: [pool], topology }).flavors;
  const spot = new ResourceFlavor(chart, 'Spot', {
    name: 'spot',
    nodeLabels: { 'cloud.google.com/gke-spot': 'true' },
    nodeTaints: [{ key: 'cloud.google.com/gke-spot', value: 'true' }],
    tolerations: [{ key: 'nvidia.com/gpu' }, { key: 'maintenance', effect: TolerationEffect.NO_EXECUTE, evictAfter: Duration.minutes(5) }],
    topology,
    nodes: { count: 100, gpu: Gpu.nvidia(8), cpu: Cpu.units(190), memory: Size.gibibytes(1800), overcommitted: true },
  });
  const cpu = new ResourceFlavor(chart, 'Cpu', { name: 'cpu', nodes: { count: 64, cpu: Cpu.units(15), memory: Size.gibibytes(56) } });

  const top = new Cohort(chart, 'Top', { name: 'company' });
  const cohort = new Cohort(chart, 'Cohort', {
    name: 'ml', parent: top, fairSharingWeight: 2,
    resourceGroups: [{ flavors: [{ flavor: spot, quotas: [Quota.gpu(Gpu.nvidia(16), { borrowingLimit: 8, lendingLimit: 16 })] }] }],
  });
  const research = new ClusterQueue(chart, 'Research', {
    name: 'research',
    cohort,
    namespaces: ['team-a', 'team-b'],
    namespaceLabels: { tier: 'research' },
    queueingStrategy: QueueingStrategy.STRICT_FIFO,
    fairSharingWeight: 0.5,
    admitByUsage: true,
    stopPolicy: StopPolicy.NONE,
    preemption: {
      withinClusterQueue: PreemptionWithinQueue.LOWER_OR_NEWER_EQUAL_PRIORITY, reclaimWithinCohort: ReclaimWithinCohort.ANY,
      borrowByPreemption: true, borrowMaxPriority: 100,
    },
    flavorFungibility: { whenCanBorrow: FlavorSearch.TRY_NEXT, whenCanPreempt: FlavorSearch.TRY_NEXT,
      preference: FlavorPreference.PREEMPTION_OVER_BORROWING },
    admissionChecks: [
      { check: new QueuedProvisioningCheck(chart, 'Dws', {
        name: 'dws', maxRunDuration: Duration.days(1), retries: { limit: 5, firstPause: Duration.minutes(2), longestPause: Duration.hours(1) },
      }), onFlavors: [h100] },
      { check: new QueuedProvisioningCheck(chart, 'Capacity', { name: 'capacity', className: 'check-capacity.autoscaling.x-k8s.io', managedResources: ['cpu'] }), onFlavors: [spot] },
      { check: AdmissionCheck.fromAdmissionCheckName('budget') },
    ],
    resourceGroups: [{
      flavors: [
        { flavor: h100, quotas: [Quota.gpu(Gpu.nvidia(64), { borrowingLimit: 32, lendingLimit: 16 })] },
        { flavor: spot, quotas: [Quota.gpu(Gpu.nvidia(64))] },
      ],
    }],
  });
  research.addResourceGroup({
    flavors: [{
      flavor: cpu,
      quotas: [
        Quota.cpu(Cpu.units(512), { borrowingLimit: Cpu.units(64), lendingLimit: Cpu.millis(500) }),
        Quota.memory(Size.tebibytes(2), { borrowingLimit: Size.gibibytes(64), lendingLimit: Size.tebibytes(1) }),
        Quota.ephemeralStorage(Size.gibibytes(1024)), Quota.pods(200), Quota.tpu(Tpu.chips(0)), Quota.extended('rdma/hca', 64),
      ],
    }],
  });
  const local = new LocalQueue(chart, 'Local', { metadata: { name: 'team-a', namespace: 'team-a' }, clusterQueue: research, fairSharingWeight: 2, stopPolicy: StopPolicy.NONE });

  const clusters = ['east', 'west'].map((name) => new MultiKueueCluster(chart, name, { name, source: MultiKueueSource.kubeConfigSecret(`${name}-kubeconfig`) }));
  clusters.push(new MultiKueueCluster(chart, 'north', { name: 'north', source: MultiKueueSource.clusterProfile('north') }));
  clusters.push(new MultiKueueCluster(chart, 'south', { name: 'south', source: MultiKueueSource.kubeConfigPath('/etc/south') }));
  const anywhere = new ClusterQueue(chart, 'Anywhere', {
    name: 'anywhere',
    cohort: Cohort.fromCohortName('elsewhere'),
    admissionChecks: [{ check: new MultiKueue(chart, 'Multi', { name: 'multi', clusters }) }],
    resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('default'), quotas: [Quota.cpu(Cpu.units(1000))] }] }],
  });
  new LocalQueue(chart, 'AnywhereLocal', { metadata: { name: 'anywhere', namespace: 'team-a' }, clusterQueue: anywhere });
  new LocalQueue(chart, 'Elsewhere', { metadata: { name: 'theirs', namespace: 'team-a' }, clusterQueue: ClusterQueue.fromClusterQueueName('theirs'), stopPolicy: StopPolicy.HOLD });
  new WorkloadPriorityClass(chart, 'Production', { name: 'production', value: 1000, description: 'What customers wait for.' });
  return { local, research };
}
