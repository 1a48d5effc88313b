/** Tables of resource use. */
import type { GpuUse } from './gpus';
import type { Usage } from './usage';
import { byteText, coreText, tableLines } from '../../text';

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
  const column = (heading: string, cell: (row: TopRow) => string | undefined) => [heading, rows.map(cell)] as const;
  const gpus = rows.flatMap(({ rank, pod, gpus: found }) => (typeof found === 'object' ? found.map((gpu) => ({ rank, pod, ...gpu })) : []));
  const gpuColumn = (heading: string, cell: (gpu: typeof gpus[number]) => string | undefined) => [heading, gpus.map(cell)] as const;
  return [
    ...tableLines([
      column('RANK', ({ rank }) => rank?.toString()), column('ROLE', ({ role }) => role), column('POD', ({ pod }) => pod), column('STATE', ({ state }) => state),
      column('CPU', ({ usage, limits }) => usage && ofLimit(coreText(usage.cores), limits.cores === undefined ? undefined : coreText(limits.cores))),
      column('MEMORY', ({ usage, limits }) => usage && ofLimit(byteText(usage.bytes), limits.bytes === undefined ? undefined : byteText(limits.bytes))),
      column('GPUS', ({ gpus: found }) => (typeof found === 'object' ? summary(found) : found === undefined ? undefined : '?')),
    ]),
    ...(gpus.length === 0 ? [] : ['', ...tableLines([
      gpuColumn('RANK', ({ rank }) => rank?.toString()), gpuColumn('POD', ({ pod }) => pod), gpuColumn('GPU', ({ index }) => index),
      gpuColumn('USE', ({ percentage }) => (percentage === undefined ? undefined : `${percentage} %`)),
      gpuColumn('MEMORY', ({ usedMib, totalMib }) => (usedMib === undefined ? undefined : ofLimit(byteText(usedMib * MIB), totalMib === undefined ? undefined : byteText(totalMib * MIB)))),
    ])]),
    ...unknownGpus(rows),
  ];
}

function ofLimit(used: string, limit: string | undefined): string {
  return limit === undefined ? used : `${used} of ${limit}`;
}

/** Number of GPUs and mean use: `8, 87 %`. */
function summary(gpus: readonly GpuUse[]): string {
  const known = gpus.flatMap(({ percentage }) => percentage ?? []);
  return known.length === 0 ? String(gpus.length) : `${gpus.length}, ${Math.round(known.reduce((sum, one) => sum + one, 0) / known.length)} %`;
}

/** Lists each reason once. */
function unknownGpus(rows: readonly TopRow[]): string[] {
  const reasons = new Map<string, string[]>();
  rows.forEach(({ pod, gpus }) => {
    if (typeof gpus === 'string') {
      reasons.set(gpus, [...reasons.get(gpus) ?? [], pod]);
    }
  });
  return [...reasons].map(([reason, pods]) => `GPU use of ${pods[0]}${pods.length > 1 ? ` and ${pods.length - 1} more` : ''} is unknown: ${reason}`);
}
