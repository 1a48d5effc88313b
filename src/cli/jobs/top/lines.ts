/** Tables of resource use. */
import type { GpuUse } from './gpus';
import type { Usage } from './usage';
import { byteText, coreText, grouped, listed, tableLines } from '../../text';

/** Resource use of a replica. */
export interface TopRow {
  readonly pod: string;
  readonly rank?: number;
  readonly role?: string;
  readonly state: string;
  /** @default - the metrics server has no value */
  readonly usage?: Usage;
  readonly limits: Partial<Usage>;
  /** The GPUs, or the reason why they cannot be read. @default - the pod has no GPUs, or is not running */
  readonly gpus?: readonly GpuUse[] | string;
}

const MIB = 2 ** 20;

/** A table of pods and, if there are GPUs, a table of GPUs. */
export function topLines(rows: readonly TopRow[]): string[] {
  const gpus = rows.flatMap(({ rank, pod, gpus: found }) => (typeof found === 'object' ? found.map((gpu) => ({ rank, pod, ...gpu })) : []));
  return [
    ...tableLines(rows, [
      ['RANK', ({ rank }) => rank?.toString()], ['ROLE', ({ role }) => role], ['POD', ({ pod }) => pod], ['STATE', ({ state }) => state],
      ['CPU', ({ usage, limits }) => ofLimit(usage?.cores, limits.cores, coreText)],
      ['MEMORY', ({ usage, limits }) => ofLimit(usage?.bytes, limits.bytes, byteText)],
      ['GPUS', ({ gpus: found }) => (typeof found === 'object' ? summary(found) : found === undefined ? undefined : '?')],
    ]),
    ...(gpus.length === 0 ? [] : ['', ...tableLines(gpus, [
      ['RANK', ({ rank }) => rank?.toString()], ['POD', ({ pod }) => pod], ['GPU', ({ index }) => index],
      ['USE', ({ percentage }) => (percentage === undefined ? undefined : `${percentage} %`)],
      ['MEMORY', ({ usedMib, totalMib }) => ofLimit(usedMib, totalMib, (mib) => byteText(mib * MIB))],
    ])]),
    ...unknownGpus(rows),
  ];
}

function ofLimit(used: number | undefined, limit: number | undefined, show: (amount: number) => string): string | undefined {
  return used === undefined ? undefined : limit === undefined ? show(used) : `${show(used)} of ${show(limit)}`;
}

/** Number of GPUs and mean use: `8, 87 %`. */
function summary(gpus: readonly GpuUse[]): string {
  const known = gpus.flatMap(({ percentage }) => percentage ?? []);
  return known.length === 0 ? String(gpus.length) : `${gpus.length}, ${Math.round(known.reduce((sum, one) => sum + one, 0) / known.length)} %`;
}

/** Lists each reason once. */
function unknownGpus(rows: readonly TopRow[]): string[] {
  const unknown = rows.flatMap(({ pod, gpus }) => (typeof gpus === 'string' ? [{ pod, reason: gpus }] : []));
  return [...grouped(unknown, ({ reason }) => reason)].map(([reason, pods]) => `GPU use of ${listed(pods.map(({ pod }) => pod), 1)} is unknown: ${reason}`);
}
