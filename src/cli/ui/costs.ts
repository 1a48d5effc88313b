/** Costs of the jobs and services of a cluster so far, by namespace, with the estimates of `trainyard cost`. */
import { devices, missingLines, money, number, priceWords, sharedNotes } from '../cost/output';
import { wanted } from '../cost/report';
import { surroundingsOf } from '../cost/surroundings';
import { workloadsOf } from '../cost/workloads';
import { grouped, listed } from '../text';
import { rowOf, type JobRow } from '../jobs/job-row';
import type { CommandKind } from '../jobs/kinds';
import type { AnyObject } from '../jobs/objects';
import { readWhole } from '../jobs/read-rows';
import type { Reader } from '../jobs/reader';
import { textIn, type JsonRecord } from '../../model/json-parts';
import { NO_PRICES, type PriceTable } from '../../model/cost/prices';
import { NONE, plus, type Range } from '../../model/cost/ranges';
import { workloadCost, type WorkloadCost } from '../../model/cost/workloads';
import { objectTitle, type ManifestObject } from '../../model/objects/manifest-object';

/** Costs. Amounts such as `1,152.00`, or ranges; absent without a price. */
export interface UiCost {
  readonly devices: string;
  /** GPUs or chips times hours. */
  readonly deviceHours: string;
  readonly perHour?: string;
  readonly soFar?: string;
}

/** A namespace, which represents a team. */
interface UiTeamCost extends UiCost {
  readonly namespace: string;
  readonly running: number;
  readonly jobs: number;
}

/** A job or service. */
interface UiJobCost extends UiCost, Pick<JobRow, 'kind' | 'group' | 'namespace' | 'name' | 'state' | 'phase'> {
  readonly hours: string;
}

export interface UiCosts {
  readonly isPriced: boolean;
  readonly currency?: string;
  /** The most expensive first. */
  readonly teams: readonly UiTeamCost[];
  /** The most expensive first, limited to those that are shown. */
  readonly jobs: readonly UiJobCost[];
  /** Assumptions behind the numbers, as sentences. */
  readonly assumptions: readonly string[];
  /** Missing rows of the price table. */
  readonly missing: readonly string[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** Maximum number of jobs and notes. */
const MAX_JOBS = 200;
const MAX_NOTES = 20;

const ASSUMPTIONS = [
  'A team is a namespace.',
  'A running job counts from its start until now, a finished one until its end, with all of its pods; interruptions are not subtracted. Waiting and suspended jobs do not count.',
  'An array or a search counts as many copies as it may run at the same time. Objects that a controller creates for a job count as part of it.',
  'Storage, networks and nodes without jobs are not counted, and neither are jobs that were deleted.',
];

interface CountedJob {
  readonly row: JobRow;
  readonly cost: WorkloadCost;
  readonly isRunning: boolean;
}

/** @param prices @default - costs are only in hours */
export async function readCosts(
  reader: Reader, namespace: string | undefined, kinds: readonly CommandKind[], prices: PriceTable | undefined, now: number,
): Promise<UiCosts> {
  const found = await readWhole(reader, namespace, { kinds });
  const skipped: string[] = [];
  const all = found.flatMap(({ kind, object }) => costsOf(kind, object, prices ?? NO_PRICES, now, skipped)).sort(byCost);
  const costs = all.map(({ cost }) => cost);
  const needed = wanted(costs.map(({ workload, missing }) => ({ title: objectTitle(workload), missing })));
  const notes = sharedNotes(costs.map(({ workload, notes: own }) => ({ title: objectTitle(workload), notes: own })));
  return {
    isPriced: prices !== undefined, currency: prices?.currency,
    teams: [...grouped(all, ({ row }) => row.namespace)].map(([name, jobs]) => ({ name, sum: sumOf(jobs) }))
      .sort((one, other) => byAmount(one.sum, other.sum))
      .map(({ name, sum }) => ({ namespace: name, jobs: sum.jobs, running: sum.running, ...costTexts(sum) })),
    jobs: all.slice(0, MAX_JOBS).map(({ row, cost, isRunning }) => ({
      kind: row.kind, group: row.group, namespace: row.namespace, name: row.name, state: row.state, phase: row.phase,
      hours: String(Math.round((cost.hours ?? 0) * 100) / 100), ...costTexts(sumOf([{ row, cost, isRunning }])), devices: devices(cost),
    })),
    assumptions: [
      ...(prices === undefined ? [] : [priceWords(prices)]), ...ASSUMPTIONS, ...notes.slice(0, MAX_NOTES),
      ...(notes.length > MAX_NOTES ? [`${notes.length - MAX_NOTES} more notes on single jobs: trainyard cost has them.`] : []),
      ...(skipped.length > 0 ? [`Not counted, because their specs are not valid: ${listed(skipped, 5)}.`] : []),
    ],
    missing: prices === undefined ? [] : missingLines({ missing: needed }),
    unread: reader.unread,
  };
}

/** The cost of a job for its running time; empty without pods. */
function costsOf(kind: CommandKind, object: AnyObject, table: PriceTable, now: number, skipped: string[]): CountedJob[] {
  const row = rowWithout(kind, object, skipped);
  if (row === undefined) {
    return [];
  }
  const start = textIn((object.status as JsonRecord | undefined)?.startTime) ?? row.createdAt;
  const isRunning = row.state === 'Running' || row.state === 'Restarting';
  const end = isRunning ? now : row.finishedAt === undefined ? undefined : Date.parse(row.finishedAt);
  const hours = start === undefined || end === undefined ? 0 : Math.max(0, end - Date.parse(start)) / 3_600_000;
  return workloadsOf([object as ManifestObject & JsonRecord], surroundingsOf([])).map((workload) => {
    const { copies } = workload;
    const counted = copies === undefined ? workload : { ...workload, copies: { count: copies.parallel, parallel: copies.parallel } };
    return { row, cost: workloadCost(counted, table, hours), isRunning };
  });
}

/** An older version may have accepted a spec that is not valid now. */
function rowWithout(kind: CommandKind, object: AnyObject, skipped: string[]): JobRow | undefined {
  try {
    return rowOf(kind, object);
  } catch {
    skipped.push(`${kind.kind} ${object.metadata?.namespace}/${object.metadata?.name}`);
    return undefined;
  }
}

/** Sums. An amount is unknown if that of one part is unknown. */
interface Sum {
  readonly jobs: number;
  readonly running: number;
  /** Of running jobs, by type. */
  readonly devices: ReadonlyMap<string, Range>;
  readonly deviceHours: Range;
  readonly perHour?: Range;
  readonly soFar?: Range;
}

function sumOf(parts: readonly CountedJob[]): Sum {
  const add = (one: Range | undefined, other: Range | undefined) => (one === undefined || other === undefined ? undefined : plus(one, other));
  return parts.reduce<Sum>((sum, { cost, isRunning }) => ({
    jobs: sum.jobs + 1, running: sum.running + Number(isRunning),
    devices: !isRunning ? sum.devices
      : cost.devices.reduce((map, { type, count }) => new Map(map).set(type, plus(map.get(type) ?? NONE, count)), sum.devices),
    deviceHours: plus(sum.deviceHours, cost.deviceHours ?? NONE),
    perHour: isRunning ? add(sum.perHour, cost.perHour.asWritten) : sum.perHour,
    soFar: add(sum.soFar, cost.total?.asWritten),
  }), { jobs: 0, running: 0, devices: new Map(), deviceHours: NONE, perHour: NONE, soFar: NONE });
}

function costTexts({ devices: counts, deviceHours, perHour, soFar }: Sum): UiCost {
  return {
    devices: devices({ devices: [...counts].map(([type, count]) => ({ type, count })) }), deviceHours: number(deviceHours),
    perHour: perHour && money(perHour), soFar: soFar && money(soFar),
  };
}

function byCost(one: CountedJob, other: CountedJob): number {
  const amountsOf = ({ cost: { total, deviceHours = NONE } }: CountedJob) => ({ soFar: total?.asWritten, deviceHours });
  return byAmount(amountsOf(one), amountsOf(other)) || one.row.name.localeCompare(other.row.name);
}

/** By price, then by device hours. */
function byAmount(one: Pick<Sum, 'soFar' | 'deviceHours'>, other: Pick<Sum, 'soFar' | 'deviceHours'>): number {
  return (other.soFar?.max ?? 0) - (one.soFar?.max ?? 0) || other.deviceHours.max - one.deviceHours.max;
}
