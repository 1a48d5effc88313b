/** Nodes by accelerator: the requests of their pods, their jobs, and the jobs that avoid them. */
import { hasDevices, isReady, nodeName } from '../doctor/node-facts';
import { conditionOf } from '../explain/job/facts';
import { amount, show } from '../explain/job/quota';
import type { NodeObject } from '../explain/job/snapshot';
import { grouped } from '../text';
import type { PodObject } from '../jobs/objects';
import { LIMIT, type Reader } from '../jobs/reader';
import { podRequests } from '../../manifests/gang/gang-renderer';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { JOB_SET } from '../../model/kinds/job-set';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { TRAIN_JOB } from '../../model/kinds/train-job';
import { TRAINING_JOB_KIND } from '../../model/labels';
import { entryFor } from '../../model/lists';
import { ApiError } from '../../operator/runtime/http/api-error';
import { NODES, PODS } from '../../operator/runtime/resource-kind';
import { TRAINING_JOBS, type TrainingJobObject } from '../../operator/training/resources';

/** Requested and allocatable amounts of a resource, such as `8` or `64Gi`. */
export interface UiUse {
  readonly resource: string;
  readonly requested: string;
  readonly allocatable: string;
  /** 0 and more. */
  readonly percentage: number;
}

/** A job with pods on a node. */
interface UiNodeJob {
  readonly namespace: string;
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  readonly pods: number;
}

export interface UiNode {
  readonly name: string;
  readonly state: 'Ready' | 'NotReady' | 'Cordoned';
  /** Why it is not ready, and which jobs avoid it; empty for a healthy node. */
  readonly problems: readonly string[];
  readonly uses: readonly UiUse[];
  readonly jobs: readonly UiNodeJob[];
  /** Number of pods without a job. */
  readonly otherPods: number;
}

/** Nodes with the same accelerator. */
export interface UiNodeGroup {
  /** @default - they have none */
  readonly accelerator?: string;
  readonly uses: readonly UiUse[];
  /** Nodes with problems come first. */
  readonly nodes: readonly UiNode[];
}

export interface UiNodes {
  readonly groups: readonly UiNodeGroup[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** Maximum number of pods, and of pods at a time: only their sums are kept. */
const MAX_PODS = 20_000;
const PAGE = 500;

/** Labels with the type of the accelerator: those of GKE and of GPU feature discovery. */
const TYPE_LABELS = [NODE_LABELS.accelerator, NODE_LABELS.tpuAccelerator, 'nvidia.com/gpu.product', 'amd.com/gpu.product-name'];

type Amounts = Map<string, number>;

/** @param namespace for pods and jobs, if those of all namespaces may not be read */
export async function readNodes(reader: Reader, namespace: string | undefined): Promise<UiNodes> {
  const unread: string[] = [];
  const nodes = await allowed(async () => (await reader.client.list<NodeObject>(NODES, { limit: PAGE })).items);
  if (nodes === undefined) {
    return { groups: [], unread: ['You do not have permission to list nodes, which belong to the whole cluster. An administrator can grant it: the verb list on the resource nodes, in a ClusterRole.'] };
  }
  const [use, avoided] = await Promise.all([readUse(reader, namespace, unread), readAvoided(reader, namespace, unread)]);
  return {
    groups: [...grouped(nodes, typeOf)].sort(([one], [other]) => Number(one === '') - Number(other === '') || one.localeCompare(other)).map(([accelerator, members]) => ({
      ...(accelerator !== '' && { accelerator }),
      uses: usesOf(members, use),
      nodes: members.map((node) => nodeOf(node, use, avoided.get(nodeName(node)) ?? [])).sort((one, other) => (
        Number(other.problems.length > 0) - Number(one.problems.length > 0) || one.name.localeCompare(other.name))),
    })),
    unread,
  };
}

/** The result of `read`; undefined without permission. */
async function allowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) {
      return undefined;
    }
    throw error;
  }
}

/** Reads all namespaces, or only the given one without permission for all; undefined without permission for either. */
async function widest<T>(
  namespace: string | undefined, read: (namespace: string | undefined) => Promise<T>,
): Promise<{ readonly found?: T; readonly isNarrow: boolean }> {
  const everywhere = await allowed(async () => read(undefined));
  return everywhere !== undefined ? { found: everywhere, isNarrow: false }
    : { found: namespace === undefined ? undefined : await allowed(async () => read(namespace)), isNarrow: true };
}

/** Use of a node. */
class NodeUse {
  public readonly requested: Amounts = new Map();
  public readonly jobs = new Map<string, UiNodeJob>();
  public otherPods = 0;

  public add(pod: PodObject): void {
    Object.entries(pod.spec === undefined ? {} : podRequests(pod.spec)).forEach(([resource, number]) => addTo(this.requested, resource, number));
    const job = jobOf(pod);
    if (job === undefined) {
      this.otherPods += 1;
      return;
    }
    const key = `${job.namespace}/${job.kind}/${job.name}`;
    this.jobs.set(key, { ...job, pods: (this.jobs.get(key)?.pods ?? 0) + 1 });
  }
}

/** Finished pods use no resources. */
const HOLDING = 'status.phase!=Succeeded,status.phase!=Failed,spec.nodeName!=';

async function readUse(reader: Reader, namespace: string | undefined, unread: string[]): Promise<ReadonlyMap<string, NodeUse>> {
  const { found, isNarrow } = await widest(namespace, async (place) => sumPods(reader, place, unread));
  if (isNarrow) {
    unread.push(found === undefined ? 'You do not have permission to list pods: the use of nodes is unknown.'
      : `You do not have permission to list pods in all namespaces: only the use by the namespace ${namespace} is shown.`);
  }
  return found ?? new Map();
}

async function sumPods({ client }: Reader, namespace: string | undefined, unread: string[]): Promise<ReadonlyMap<string, NodeUse>> {
  const sums = new Map<string, NodeUse>();
  let [count, continueToken] = [0, undefined as string | undefined];
  do {
    const page = await client.listPage<PodObject>(PODS, { namespace, fieldSelector: HOLDING, limit: PAGE, continueToken });
    for (const pod of page.items) {
      entryFor(sums, pod.spec?.nodeName ?? '', () => new NodeUse()).add(pod);
    }
    count += page.items.length;
    continueToken = page.continueToken;
  } while (continueToken !== undefined && count < MAX_PODS);
  if (continueToken !== undefined) {
    unread.push(`There are more than ${MAX_PODS} pods: only the use by the first ${MAX_PODS} is shown.`);
  }
  return sums;
}

/** The job of a pod, from the label that its controller sets. */
function jobOf({ metadata }: PodObject): Omit<UiNodeJob, 'pods'> | undefined {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  const labelOf = (labels: readonly string[] | undefined) => labels?.map((label) => metadata?.labels?.[label]).find((value) => value !== undefined);
  // The JobSet of a TrainJob has its name. For kinds of Kubeflow, which share a label, and for ours, which is a common word, the owner decides.
  const labelled = WORKLOAD_KINDS.filter((kind) => kind !== TRAIN_JOB && labelOf(kind.podLabels) !== undefined);
  const kind = labelled.find((candidate) => candidate === JOB_SET) ?? labelled.find((candidate) => candidate.kind === owner?.kind)
    ?? labelled.find((candidate) => candidate.kind !== TRAINING_JOB_KIND);
  return kind && { namespace: metadata?.namespace ?? '', kind: kind.kind, group: kind.group, name: labelOf(kind.podLabels)! };
}

async function readAvoided(reader: Reader, namespace: string | undefined, unread: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { found = [], isNarrow } = await widest(namespace, async (place) => listJobs(reader, place, unread));
  if (isNarrow) {
    unread.push('You do not have permission to list mltrainingjobs in all namespaces: other jobs may avoid nodes too.');
  }
  const avoided = new Map<string, string[]>();
  found.forEach(({ metadata, status }) => (status?.suspectNodes ?? []).filter((suspect) => suspect.avoided).forEach(({ node, failures, reason }) => {
    const why = `avoided by ${metadata?.namespace}/${metadata?.name} after ${failures} ${failures === 1 ? 'failure' : 'failures'} there (${reason})`;
    entryFor(avoided, node, () => []).push(why);
  }));
  return avoided;
}

/** Empty if our definition is not installed. */
async function listJobs({ client }: Reader, namespace: string | undefined, unread: string[]): Promise<readonly TrainingJobObject[]> {
  try {
    const { items, continueToken } = await client.listPage<TrainingJobObject>(TRAINING_JOBS, { namespace, limit: LIMIT });
    if (continueToken !== undefined) {
      unread.push(`Only the first ${LIMIT} mltrainingjobs were read: other jobs may avoid nodes too.`);
    }
    return items;
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) {
      return [];
    }
    throw error;
  }
}

/** Type of the accelerator, or the name of its resource; empty without one. */
function typeOf({ metadata, status }: NodeObject): string {
  const type = TYPE_LABELS.map((label) => metadata?.labels?.[label]).find((value) => value !== undefined);
  return type ?? Object.keys(status?.allocatable ?? {}).find((resource) => hasDevices([resource])) ?? '';
}

function nodeOf(node: NodeObject, use: ReadonlyMap<string, NodeUse>, avoided: readonly string[]): UiNode {
  const own = use.get(nodeName(node));
  const ready = conditionOf(node, 'Ready');
  const state = !isReady(node) ? 'NotReady' : node.spec?.unschedulable ? 'Cordoned' : 'Ready';
  const reason = ready === undefined ? 'its kubelet has not reported' : `${ready.reason ?? ready.status}${ready.message === undefined ? '' : `: ${ready.message}`}`;
  return {
    name: nodeName(node), state,
    problems: [...(state === 'NotReady' ? [reason] : state === 'Cordoned' ? ['takes no new pods (kubectl uncordon)'] : []), ...avoided],
    uses: usesOf([node], use), jobs: [...own?.jobs.values() ?? []], otherPods: own?.otherPods ?? 0,
  };
}

function usesOf(nodes: readonly NodeObject[], use: ReadonlyMap<string, NodeUse>): readonly UiUse[] {
  const [allocatable, requested]: [Amounts, Amounts] = [new Map(), new Map()];
  for (const node of nodes) {
    Object.entries(node.status?.allocatable ?? {}).forEach(([resource, quantity]) => addTo(allocatable, resource, amount(quantity)));
    use.get(nodeName(node))?.requested.forEach((number, resource) => addTo(requested, resource, number));
  }
  const devices = [...allocatable.keys()].filter((resource) => hasDevices([resource])).sort();
  return [...devices, 'cpu', 'memory'].flatMap((resource) => {
    const [has, wants] = [allocatable.get(resource) ?? 0, requested.get(resource) ?? 0];
    const percentage = Math.round((wants / has) * 100);
    return has === 0 ? [] : [{ resource, requested: show(resource, wants), allocatable: show(resource, has), percentage }];
  });
}

function addTo(amounts: Amounts, name: string, number: number): void {
  amounts.set(name, (amounts.get(name) ?? 0) + number);
}
