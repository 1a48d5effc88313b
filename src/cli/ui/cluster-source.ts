/** Reads the data of the pages from a cluster, with the permissions of the client: those of the user of `trainyard ui` or of the dashboard. */
import { stringify } from 'yaml';
import { readCosts } from './costs';
import { LiveRows, RowBudget } from './live-rows';
import { readNodes } from './nodes';
import type { UiAction, UiAnswer, UiJob, UiJobs, UiLogLine, UiSession } from './protocol';
import type { RecorderClient } from './history/recorder-client';
import { UserHistory } from './history/user-history';
import { readQueues } from './queues';
import { mayDo } from './rights';
import { readSearches } from './searches';
import type { LogChoice, UiSource, UiView } from './server/server';
import { CliError } from '../cli-error';
import { runAgain } from '../jobs/change/rerun';
import { setSuspended } from '../jobs/change/suspend';
import { reportOf } from '../jobs/status/report';
import { COMMAND_KINDS, type CommandKind } from '../jobs/kinds';
import { containersOf, followLogs } from '../jobs/pod-logs/follow-pods';
import type { AnyObject } from '../jobs/objects';
import { readRows } from '../jobs/read-rows';
import { Reader } from '../jobs/reader';
import { chooseReplicas, replicasOf, shortName } from '../jobs/replicas';
import { currentJob, findTarget, isFinal, podsOf, standingOfJob, titleOf, type Target } from '../jobs/target';
import { packageVersion } from '../version';
import type { PriceTable } from '../../model/cost/prices';
import { record, type JsonRecord } from '../../model/json-parts';
import { LAST_APPLIED_ANNOTATION } from '../../model/labels';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { qualifiedPlural } from '../../operator/runtime/resource-kind';

/** The session; defaults fill in the rest. */
export type SessionParts = Pick<UiSession, 'namespace' | 'canChange' | 'howToChange'> & Partial<UiSession>;

/** How long installed kinds and permissions are cached; milliseconds. */
const KNOWN_MS = 60_000;

/** How long the list of jobs is cached, so that several open pages share it; milliseconds. */
const JOBS_MS = 1_000;

/** How long views of thousands of objects, which change slowly, are cached; milliseconds. */
const LARGE_VIEW_MS = 10_000;

/** Maximum number of cached namespaces of a view. */
const MAX_VIEWS = 4;

/** Maximum number of cached pairs of kind and namespace. */
const MAX_RIGHTS = 100;

/** What a source uses in addition to the cluster. */
export interface SourceParts {
  /** Prices of machines. @default - costs are only in hours */
  readonly prices?: PriceTable;
  /** The recorder of the history. @default - there is no history */
  readonly recorder?: RecorderClient;
  /** Shared by the sources of a process. @default - its own */
  readonly rowBudget?: RowBudget;
}

export function clusterSource(client: KubeClient, session: SessionParts, { prices, recorder, rowBudget }: SourceParts = {}): UiSource {
  const { server, origin } = client.connection;
  const kinds = new Answers<readonly CommandKind[]>(1);
  const rights = new Answers<Rights>(MAX_RIGHTS);
  const installed = async () => kinds.get('', async () => installedKinds(new Reader(client)));
  const large = (read: UiView): UiView => {
    const views = new Answers<object>(MAX_VIEWS, LARGE_VIEW_MS);
    return async (namespace) => views.get(namespace ?? '', async () => read(namespace));
  };
  const rightsOn = async (kind: CommandKind, place: string) => (
    session.canChange ? rights.get(`${qualifiedPlural(kind)} ${place}`, async () => askRights(client, kind, place)) : NO_RIGHTS);
  const liveRows = new LiveRows(client, { budget: rowBudget ?? new RowBudget() });
  const jobs = new Answers<UiJobs>(MAX_VIEWS, JOBS_MS);
  const history = recorder && new UserHistory(client, recorder, session.canChange);
  return {
    session: { cluster: server.href, origin, ...session, version: session.version ?? packageVersion(), hasHistory: history !== undefined },
    history,
    jobs: async (wanted) => jobs.get(wanted ?? '', async () => jobsOf(new Reader(client), wanted, await installed(), liveRows)),
    job: async (job, place) => {
      const target = await findTarget(client, job, place);
      return jobOf(target, await rightsOn(target.kind, place));
    },
    views: {
      queues: async (wanted) => readQueues(new Reader(client), wanted),
      searches: async (wanted) => readSearches(new Reader(client), wanted),
      nodes: large(async (wanted) => readNodes(new Reader(client), wanted)),
      costs: large(async (wanted) => readCosts(new Reader(client), wanted, await installed(), prices, Date.now())),
    },
    logs: async (job, place, choice, signal, onLine) => logsOf(await findTarget(client, job, place), choice, signal, onLine),
    act: async (action) => (action.run !== undefined && history
      ? history.rerun(action.namespace, action.run) : act(await findTarget(client, action.job, action.namespace), action)),
  };
}

/** A cache of answers of the API server. */
class Answers<T> {
  private readonly known = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();

  public constructor(private readonly max: number, private readonly heldMs = KNOWN_MS) {}

  public async get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const known = this.known.get(key);
    if (known !== undefined && now - known.at < this.heldMs) {
      return known.answer;
    }
    if (this.known.size >= this.max) {
      this.known.clear();
    }
    const answer = ask();
    this.known.set(key, { at: now, answer });
    answer.catch(() => this.known.delete(key));
    return answer;
  }
}

/** The user's permissions on objects of a kind. */
interface Rights {
  readonly patch: boolean;
  readonly create: boolean;
  readonly delete: boolean;
}

const NO_RIGHTS: Rights = { patch: false, create: false, delete: false };

/** Determines which buttons are shown. The API server checks the permission again for each action. */
async function askRights(client: KubeClient, { group, plural }: CommandKind, namespace: string): Promise<Rights> {
  const may = async (verb: keyof Rights) => mayDo(client, { namespace, verb, group, resource: plural });
  const [patch, create, remove] = await Promise.all([may('patch'), may('create'), may('delete')]);
  return { patch, create, delete: remove };
}

/** Kinds whose group and version the cluster serves; all kinds if that is unknown. */
async function installedKinds(reader: Reader): Promise<readonly CommandKind[]> {
  const answer = await reader.raw<{ readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[] }>('/apis');
  const served = new Set(answer?.groups?.flatMap(({ name, versions }) => versions.map(({ version }) => `${name}/${version}`)));
  return answer === undefined ? COMMAND_KINDS : COMMAND_KINDS.filter(({ group, version }) => served.has(`${group}/${version}`));
}

async function jobsOf(reader: Reader, namespace: string | undefined, kinds: readonly CommandKind[], liveRows: LiveRows): Promise<UiJobs> {
  const rows = await readRows(reader, namespace, { kinds }, async (kind) => liveRows.read(reader, kind, namespace));
  const isAllRefused = reader.refusals > 1 && reader.refusals === new Set(kinds.map(({ plural }) => plural)).size;
  const where = namespace === undefined ? 'in all namespaces. Choose a namespace' : `in the namespace ${namespace}. Choose another one`;
  return { rows, unread: isAllRefused ? [`You do not have permission to list jobs ${where}.`] : reader.unread };
}

async function jobOf(target: Target, may: Rights): Promise<UiJob> {
  const { job, kind } = target;
  const report = await reportOf(target, `${kind.plural}.${kind.group}/${target.ref.name}`);
  return {
    report, yaml: stringify(shown(job)),
    canSuspend: may.patch && kind.workload.suspend !== undefined, canRerun: may.create && kind.workload.isJob === true, canDelete: may.delete,
  };
}

/** The object without fields that are of no interest to users. */
function shown(job: AnyObject): JsonRecord {
  const metadata = Object.entries(record((job as JsonRecord).metadata)).filter(([name]) => name !== 'managedFields' && name !== 'annotations');
  const kept = Object.entries(job.metadata?.annotations ?? {}).filter(([name]) => name !== LAST_APPLIED_ANNOTATION);
  const annotations = kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {};
  return { ...job as JsonRecord, apiVersion: job.apiVersion, kind: job.kind, metadata: { ...Object.fromEntries(metadata), ...annotations } };
}

async function logsOf(
  target: Target, { rank, tail }: LogChoice, signal: AbortSignal, onLine: (line: UiLogLine) => void,
): Promise<void> {
  const { client, namespace, kind, ref } = target;
  await followLogs({
    client, namespace, containers: containersOf(false, undefined), previous: false, tail, signal,
    onLine: ({ time, text, replica }) => (
      onLine({ time, text, replica: shortName(ref.name, replica), ...(replica.rank !== undefined && { rank: replica.rank }) })),
    onProblem: (sentence) => onLine({ time: '', text: sentence, replica: '' }),
  }, async () => {
    const job = await currentJob(target);
    const replicas = replicasOf(kind.workload, await podsOf(target, target.job));
    return {
      replicas: rank === undefined || replicas.length === 0 ? replicas : chooseReplicas(replicas, { rank }),
      ended: job === undefined || isFinal(standingOfJob(job)),
    };
  });
}

async function act(target: Target, { action }: UiAction): Promise<UiAnswer> {
  const { client, kind, ref, job } = target;
  switch (action) {
    case 'suspend': return { message: await setSuspended(target, true) };
    case 'resume': return { message: await setSuspended(target, false) };
    case 'rerun': return { message: (await runAgain(target)).sentence };
    case 'delete':
      await client.delete(kind, ref, { preconditions: { uid: job.metadata?.uid }, propagationPolicy: 'Background' });
      return { message: `${titleOf(target)} is deleted.` };
    default: throw new CliError('There is no such action.');
  }
}
