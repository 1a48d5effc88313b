/** All jobs and services of a namespace, or of all. */
import { rowOf, type JobRow } from './job-row';
import { COMMAND_KINDS, type CommandKind } from './kinds';
import type { AnyObject } from './objects';
import type { Reader } from './reader';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { inOrder } from '../../model/lists';
import { qualifiedPlural } from '../../operator/runtime/resource-kind';

export interface RowFilter {
  /** @default - all kinds that have their own pods */
  readonly kinds?: readonly CommandKind[];
  readonly labelSelector?: string;
  readonly states?: readonly string[];
  readonly queue?: string;
}

/** Kueue's view of a queue. @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.0/apis/visibility/v1beta2/types.go */
interface PendingWorkloads {
  readonly items?: readonly {
    readonly metadata?: { readonly ownerReferences?: readonly { readonly uid: string }[] };
    readonly positionInLocalQueue?: number;
  }[];
}

const VISIBILITY = ['v1beta2', 'v1beta1'];

/** A row and the uid of its object. */
export interface ObjectRow {
  readonly row: JobRow;
  readonly uid?: string;
}

/** Reads the rows of a kind. */
export type RowsOfKind = (kind: CommandKind) => Promise<readonly ObjectRow[]>;

/**
 * Reads them, the newest last. Objects that another job has created are left out.
 * @param namespace all when undefined
 * @param rowsOfKind @default - lists the objects
 */
export async function readRows(
  reader: Reader, namespace: string | undefined, filter: RowFilter, rowsOfKind?: RowsOfKind,
): Promise<readonly JobRow[]> {
  const { states, queue, kinds, labelSelector } = filter;
  const read = rowsOfKind ?? (async (kind) => rowsOf(kind, await reader.list<AnyObject>(kind, namespace, { labelSelector }) ?? []));
  const found = await Promise.all(oneVersionEach(kinds ?? COMMAND_KINDS).map(read));
  const rows = found.flat()
    .filter(({ row }) => (states === undefined || states.includes(row.state.toLowerCase())) && (queue === undefined || row.queue === queue));
  const places = await placesInQueues(reader, rows.map(({ row }) => row));
  return rows.map(({ row, uid }) => withPlace(row, places.get(uid ?? '')))
    .sort((one, other) => inOrder(one.namespace, other.namespace) || inOrder(one.createdAt ?? '', other.createdAt ?? '') || inOrder(one.name, other.name));
}

/** Rows of the objects of a kind that no other job has created. */
export function rowsOf(kind: CommandKind, objects: readonly AnyObject[]): readonly ObjectRow[] {
  return objects.map((object) => typed(kind, object)).filter((object) => !isPart(object))
    .map((object) => ({ row: rowOf(kind, object), uid: object.metadata?.uid }));
}

/** A job or service, and its kind. */
interface WholeObject {
  readonly kind: CommandKind;
  readonly object: AnyObject;
}

/** Reads objects that no other job has created. @param namespace all when undefined */
export async function readWhole(reader: Reader, namespace: string | undefined, { kinds }: Pick<RowFilter, 'kinds'>): Promise<readonly WholeObject[]> {
  const found = await Promise.all(oneVersionEach(kinds ?? COMMAND_KINDS).map(async (kind) => (
    (await reader.list<AnyObject>(kind, namespace) ?? []).map((object) => ({ kind, object: typed(kind, object) })))));
  return found.flat().filter(({ object }) => !isPart(object));
}

function typed({ group, version, kind }: CommandKind, object: AnyObject): AnyObject {
  return { ...object, apiVersion: `${group}/${version}`, kind };
}

/** Leaves one version of each kind: every version has the same objects. */
function oneVersionEach(kinds: readonly CommandKind[]): readonly CommandKind[] {
  // MPIJob has two definitions, of two operators. A cluster has one of them.
  return kinds.filter((kind, index) => kind.kind === 'MPIJob' || kinds.findIndex((other) => qualifiedPlural(other) === qualifiedPlural(kind)) === index);
}

/** Kinds that own parts of jobs. The jobs of a schedule are not parts. */
const OWNERS = new Set(WORKLOAD_KINDS.filter(({ scheduled }) => scheduled === undefined).map(({ group, kind }) => `${group}/${kind}`));

function isPart({ metadata }: AnyObject): boolean {
  return (metadata?.ownerReferences ?? []).some(({ apiVersion, kind }) => OWNERS.has(`${apiVersion.split('/')[0]}/${kind}`));
}

/** Queue positions of waiting jobs of other kinds. Our own have them in their status. */
async function placesInQueues(reader: Reader, rows: readonly JobRow[]): Promise<ReadonlyMap<string, number>> {
  const waiting = rows.filter(({ state, queue, queuePosition }) => state === 'Waiting' && queue !== undefined && queuePosition === undefined);
  const queues = [...new Set(waiting.map(({ namespace, queue }) => `${namespace}/localqueues/${queue}`))];
  const answers = await Promise.all(queues.map(async (queue) => pendingIn(reader, queue)));
  return new Map(answers.flatMap(({ items = [] }) => items).flatMap(({ metadata, positionInLocalQueue: place }) => (
    place === undefined ? [] : (metadata?.ownerReferences ?? []).map(({ uid }) => [uid, place + 1] as const))));
}

async function pendingIn(reader: Reader, queue: string): Promise<PendingWorkloads> {
  for (const version of VISIBILITY) {
    const answer = await reader.raw<PendingWorkloads>(`/apis/visibility.kueue.x-k8s.io/${version}/namespaces/${queue}/pendingworkloads`);
    if (answer !== undefined) {
      return answer;
    }
  }
  return {};
}

function withPlace(row: JobRow, queuePosition: number | undefined): JobRow {
  return queuePosition === undefined ? row : { ...row, queuePosition };
}

/** The kind as kubectl writes it in front of a name. */
export function kubectlName({ kind, group, name }: JobRow): string {
  return `${kind.toLowerCase()}.${group}/${name}`;
}
