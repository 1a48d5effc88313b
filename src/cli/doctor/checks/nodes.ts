/** Whether the nodes are ready, without pressure, and with their devices. */
import type { Check, Fault } from '../finding';
import { install, kubectl } from '../fixes';
import type { ClusterSnapshot } from '../snapshot';
import { hasDevices, isOnGke, isReady, nodeName } from '../node-facts';
import { conditionOf } from '../../explain/job/facts';
import type { NodeObject } from '../../explain/job/snapshot';
import { count, listed } from '../../text';
import { NODE_LABELS } from '../../../model/accelerators/labels';

/** Conditions that are bad when they are true. */
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

/** Labels of nodes that have GPUs: GKE's, and those of GPU feature discovery. */
const GPU_LABELS = [NODE_LABELS.accelerator, 'nvidia.com/gpu.present', 'nvidia.com/gpu.product'];

/** Names of the DaemonSets that make devices allocatable. */
const DEVICE_PLUGIN = /device-?plugin|gpu-installer|nvidia-driver/;

export const NODES: Check = {
  topic: 'nodes',
  run: ({ nodes, daemonSets, isAutoscaled, program }) => (nodes === undefined ? { faults: [] } : {
    faults: [...readiness(nodes, isAutoscaled === true), ...pressure(nodes), ...devices(nodes, program), ...plugins(daemonSets ?? [])],
    passed: `${nodes.filter(isReady).length} of ${count(nodes.length, 'node is', 'nodes are')} ready${deviceWords(nodes)}.`,
  }),
};

/** `, with 16 nvidia.com/gpu`. */
function deviceWords(nodes: readonly NodeObject[]): string {
  const sums = new Map<string, number>();
  for (const { status } of nodes) {
    const devices = Object.entries(status?.allocatable ?? {}).filter(([name]) => hasDevices([name]));
    devices.forEach(([name, amount]) => sums.set(name, (sums.get(name) ?? 0) + Number(amount)));
  }
  const found = [...sums].filter(([, amount]) => amount > 0).map(([name, amount]) => `${amount} ${name}`);
  return found.length === 0 ? ', none with accelerators' : `, with ${listed(found, 4)}`;
}

function readiness(nodes: readonly NodeObject[], isAutoscaled: boolean): Fault[] {
  const lost = nodes.filter((node) => !isReady(node));
  if (lost.length === nodes.length) {
    return [{
      id: 'NoReadyNode', severity: isAutoscaled && nodes.length === 0 ? 'warning' : 'error',
      what: nodes.length === 0 ? 'The cluster has no nodes.' : 'No node is ready: no pod can start.', evidence: lost.slice(0, 5).map(why),
      fix: nodes.length === 0 ? kubectl(undefined, 'get', 'nodes', '--watch') : kubectl(undefined, 'describe', 'nodes'),
    }];
  }
  return lost.length === 0 ? [] : [{
    id: 'NodeNotReady', severity: 'warning', what: `${count(lost.length, 'node')} of ${nodes.length} ${lost.length === 1 ? 'is' : 'are'} not ready.`,
    evidence: lost.slice(0, 5).map(why), fix: kubectl(undefined, 'describe', 'node', ...lost.slice(0, 5).map(nodeName)),
  }];
}

function why(node: NodeObject): string {
  const ready = conditionOf(node, 'Ready');
  return `${nodeName(node)}: ${ready === undefined ? 'its kubelet has not reported' : `${ready.reason ?? ready.status}: ${ready.message ?? ''}`}`;
}

function pressure(nodes: readonly NodeObject[]): Fault[] {
  const pressed = nodes.flatMap((node) => PRESSURES.filter((type) => conditionOf(node, type)?.status === 'True').map((type) => ({ node, type })));
  const number = new Set(pressed.map(({ node }) => node)).size;
  return pressed.length === 0 ? [] : [{
    id: 'NodePressure', severity: 'warning', what: `${count(number, 'node is', 'nodes are')} short of something: pods there may be evicted.`,
    evidence: pressed.slice(0, 5).map(({ node, type }) => `${nodeName(node)}: ${type}: ${conditionOf(node, type)?.message ?? ''}`),
    fix: kubectl(undefined, 'describe', 'node', ...new Set(pressed.slice(0, 5).map(({ node }) => nodeName(node)))),
  }];
}

/** An error only if the program requests devices. Devices of claims (DRA) are not allocatable. */
function devices(nodes: readonly NodeObject[], program: ClusterSnapshot['program']): Fault[] {
  const isAsked = program?.workloads.some(({ podSets }) => podSets.some(({ requests }) => hasDevices(Object.keys(requests)))) === true;
  const without = nodes.filter((node) => isReady(node) && GPU_LABELS.some((label) => !['false', undefined].includes(node.metadata?.labels?.[label]))
    && !Object.entries(node.status?.allocatable ?? {}).some(([name, amount]) => hasDevices([name]) && Number(amount) > 0));
  return without.length === 0 ? [] : [{
    id: 'DevicePluginMissing', severity: isAsked ? 'error' : 'warning',
    what: `${count(without.length, 'node')} with GPUs ${without.length === 1 ? 'has' : 'have'} none that pods can use: the driver or the device plugin is missing.`,
    evidence: [`Their labels say that they have GPUs, and status.allocatable has none: ${listed(without.map(nodeName), 5)}.`],
    fix: isOnGke(nodes) ? kubectl('kube-system', 'get', 'pods', '-l', 'k8s-app=nvidia-gpu-device-plugin', '-o', 'wide') : install('gpu-operator'),
  }];
}

function plugins(daemonSets: NonNullable<ClusterSnapshot['daemonSets']>): Fault[] {
  return daemonSets.filter(({ metadata }) => DEVICE_PLUGIN.test(metadata?.name ?? '')).flatMap(({ metadata, status }) => {
    const [wanted, have] = [Number(status?.desiredNumberScheduled ?? 0), Number(status?.numberReady ?? 0)];
    return have >= wanted ? [] : [{
      id: 'DevicePluginNotReady', severity: have === 0 ? 'error' : 'warning',
      what: `The device plugin ${metadata?.namespace}/${metadata?.name} runs on ${have} of ${count(wanted, 'node')}: pods get no devices on the others.`,
      evidence: [], fix: kubectl(metadata?.namespace, 'rollout', 'restart', `daemonset/${metadata?.name}`),
    } satisfies Fault];
  });
}
