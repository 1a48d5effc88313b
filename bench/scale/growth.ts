/**
 * Growing numbers of jobs, each on a control plane of its own: how long they take, and what a job costs the operator, the API server, etcd and the
 * scheduler. While the jobs run: what they cost when nothing happens, and how long a change of leader takes.
 */
import { BenchPlane } from './bench-plane';
import { operatorBurst, patienceFor, patient, type OperatorBurst } from './burst';
import { OperatorGroup } from './operator-under-test';
import { createRunning } from './population';
import { rounded } from './statistics';
import { jobName, podsPath, sizeName, type Size } from './workload';
import { markdownTable } from '../page';
import type { Machine } from './results';

/** What is measured. */
export interface GrowthPlan {
  readonly sizes: readonly Size[];
  readonly nodes: number;
  /** Seconds for which the running jobs are left alone. */
  readonly idleSeconds: number;
}

/** All of it: hours on two cores, and as far as 24 GiB of memory carry one control plane. */
export const GROWTH: GrowthPlan = {
  sizes: [1_000, 2_000, 2_500, 5_000, 10_000].map((jobs): Size => ({ jobs, pods: 4 })).concat({ jobs: 1, pods: 5_000 }),
  nodes: 5_000,
  idleSeconds: 60,
};

/** How many operators work. */
export interface Operators {
  readonly replicas: number;
  readonly shards: number;
}

/** Seconds from the SIGKILL of the leader, with a standby whose caches are warm. */
export interface LeaderChange {
  /** Until the standby has the lease, which it may take 15 s after the last renewal. */
  readonly toLease: number;
  /** Until its first write about a job, one of whose pods was deleted when the leader was killed. */
  readonly toFirstWrite: number;
}

/** One size. */
export interface GrowthRow extends Operators {
  readonly date: string;
  readonly size: Size;
  readonly nodes: number;
  readonly burst: OperatorBurst;
  /** MiB by program when all jobs ran; all operators together. */
  readonly memory: { readonly [program: string]: number };
  /** Percent of a core by program while nothing happened. */
  readonly idle: { readonly [program: string]: number };
  /** @default - with shards there is no leader */
  readonly leaderChange?: LeaderChange;
}

/** All sizes that were measured. */
export interface GrowthResults {
  readonly machine: Machine;
  readonly rows: readonly GrowthRow[];
}

/** Measures one size. */
export async function measureGrowth(size: Size, { replicas, shards }: Operators, { nodes, idleSeconds }: GrowthPlan): Promise<GrowthRow> {
  const plane = await BenchPlane.start({ nodes, shards });
  try {
    const operators = new OperatorGroup(plane, replicas, shards);
    await operators.ready();
    let memory: GrowthRow['memory'] = {};
    let idle: GrowthRow['idle'] = {};
    let leaderChange: LeaderChange | undefined;
    const burst = await operatorBurst(plane, operators, size, {
      // A control plane that nobody uses again is not tidied up.
      isLast: true,
      whileRunning: async () => {
        memory = plane.memory(operators);
        idle = await percentOfCore(plane, operators, idleSeconds);
        leaderChange = shards === 1 ? await changeLeader(plane, operators, size) : undefined;
      },
    });
    await operators.stop();
    return { date: new Date().toISOString().slice(0, 10), size, nodes, replicas, shards, burst, memory, idle, ...(leaderChange && { leaderChange }) };
  } finally {
    await plane.stop();
  }
}

async function percentOfCore(plane: BenchPlane, operators: OperatorGroup, seconds: number): Promise<GrowthRow['idle']> {
  // What the last changes have left to do is not idleness.
  await new Promise((resolve) => { setTimeout(resolve, 5_000); });
  const before = plane.cpu(operators);
  await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
  const after = plane.cpu(operators);
  return Object.fromEntries(Object.entries(after).map(([program, value]) => [program, rounded(100 * (value - before[program]) / seconds)]));
}

/** Kills the leader, and a pod of one more job with it, so that there is something to write for the next one. */
async function changeLeader(plane: BenchPlane, operators: OperatorGroup, size: Size): Promise<LeaderChange> {
  const namespace = await plane.namespace();
  await createRunning(plane, namespace, { jobs: 1, pods: 2 });
  const standby = await operators.startStandby();
  await plane.auditSettled();
  const position = plane.audit.position();
  const killedAt = Date.now();
  await Promise.all([operators.killLeader(standby), plane.session.remove(`${podsPath(namespace)}/${jobName(0)}-worker-0?gracePeriodSeconds=0`)]);
  await standby.until('became the leader');
  const leaseAt = Date.now();
  const isWrite = () => plane.audit.firstWriteSince(position, plane.operatorUser);
  const wroteAt = await patient('the first write of the next leader', (async () => {
    for (let at = isWrite(); ; at = isWrite()) {
      if (at !== undefined) {
        return at;
      }
      await new Promise((resolve) => { setTimeout(resolve, 200); });
    }
  })(), patienceFor(size));
  return { toLease: rounded((leaseAt - killedAt) / 1000), toFirstWrite: rounded((wroteAt - killedAt) / 1000) };
}

/** Puts rows among those that were measured before; one of the same size, nodes and operators takes the other's place. */
export function withRows(before: readonly GrowthRow[], rows: readonly GrowthRow[]): GrowthRow[] {
  const nameOf = ({ size, nodes, replicas, shards }: GrowthRow) => `${sizeName(size)} ${nodes} ${replicas} ${shards}`;
  const names = new Set(rows.map(nameOf));
  // Growing numbers of jobs, then single jobs, each without shards first.
  const place = ({ size: { jobs, pods }, shards }: GrowthRow) => [jobs === 1 ? 1 : 0, jobs, pods, shards];
  const compare = (one: readonly number[], other: readonly number[]) => (
    one.map((value, index) => value - other[index]).find((step) => step !== 0) ?? 0);
  return [...before.filter((row) => !names.has(nameOf(row))), ...rows].sort((one, other) => compare(place(one), place(other)));
}

/** The tables of docs/scale.md. */
export function renderGrowth({ machine, rows }: GrowthResults): string {
  const { cpu, cores, memoryGiB, node, kubernetes } = machine;
  const listed = (of: (row: GrowthRow) => number | string) => [...new Set(rows.map(of))].sort().join(' and ');
  const isMixed = new Set(rows.map(({ nodes }) => nodes)).size > 1;
  const name = ({ size, nodes, replicas, shards }: GrowthRow) => `${sizeName(size)}${isMixed ? ` on ${nodes} nodes` : ''}${shards > 1 ? `, ${replicas} replicas with ${shards} shards` : ''}`;
  const perJob = ({ size, burst }: GrowthRow, program: string) => rounded(1000 * (burst.cpu[program] ?? 0) / size.jobs);
  return [
    `Measured on ${listed(({ date }) => date)}: ${cores} cores of ${cpu}, ${memoryGiB} GiB, Node.js ${node.slice(1)}, Kubernetes ${kubernetes.slice(1)}, `
      + `${listed(({ nodes }) => nodes)} KWOK nodes.`,
    markdownTable(['jobs x pods', 'to all pods', 'to all Running', 'to all Completed', 'pods per second', 'requests per job'], rows.map((row) => [
      name(row), `${row.burst.toAllPods} s`, `${row.burst.toAllJobsRunning} s`, `${row.burst.toAllSucceeded} s`,
      rounded(row.size.jobs * row.size.pods / row.burst.toAllPods), row.burst.requestsPerJob,
    ])),
    'CPU for each job, from its creation to Running:',
    markdownTable(['jobs x pods', 'operator', 'API server', 'etcd', 'scheduler'], rows.map((row) => [
      name(row), ...['operator', 'kube-apiserver', 'etcd', 'kube-scheduler'].map((program) => `${perJob(row, program)} ms`),
    ])),
    'Memory when all jobs run, and percent of a core while nothing happens:',
    markdownTable(['jobs x pods', 'operator', 'API server', 'etcd', 'scheduler'], rows.map((row) => [
      name(row), ...['operator', 'kube-apiserver', 'etcd', 'kube-scheduler'].map((program) => `${row.memory[program] ?? 0} MiB, ${row.idle[program] ?? 0} %`),
    ])),
    'Change of the leader while all jobs run: from the SIGKILL of the leader to the standby that has the Lease, and to its first write '
      + '(with shards there is no leader):',
    markdownTable(['jobs x pods', 'Lease', 'first write', 'between the two'], rows.flatMap((row) => (row.leaderChange === undefined ? [] : [[
      name(row), `${row.leaderChange.toLease} s`, `${row.leaderChange.toFirstWrite} s`,
      `${rounded(row.leaderChange.toFirstWrite - row.leaderChange.toLease)} s`,
    ]]))),
  ].join('\n\n');
}
