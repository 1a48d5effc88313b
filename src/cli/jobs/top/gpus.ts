/** GPU use of a pod, from nvidia-smi in its container. The metrics server does not report GPUs. */
import { execForOutput } from '../streams/exec';
import type { PodObject } from '../objects';
import { linesOf, printable } from '../../../model/text/printable';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { wholeNumber } from '../../text';

export interface GpuUse {
  readonly index: string;
  /** @default - the driver does not report it, as for MIG devices */
  readonly percentage?: number;
  readonly usedMib?: number;
  readonly totalMib?: number;
}

const GPU = 'nvidia.com/gpu';
const QUERY = ['nvidia-smi', '--query-gpu=index,utilization.gpu,memory.used,memory.total', '--format=csv,noheader,nounits'];

/** Time limit for each pod in milliseconds. */
const TIMEOUT_MS = 15_000;

/** The container of a pod that has GPUs; undefined if none does. */
export function gpuContainer({ spec }: PodObject): string | undefined {
  return (spec?.containers ?? []).find(({ resources }) => {
    const wanted = { ...resources?.requests, ...resources?.limits };
    // MIG devices have names such as nvidia.com/mig-1g.10gb.
    return Object.entries(wanted).some(([name, count]) => (name === GPU || name.startsWith('nvidia.com/mig-')) && String(count) !== '0');
  })?.name;
}

/** Parses the output of nvidia-smi: `0, 87, 20110, 81559`. Missing values are `[N/A]`. */
export function gpusIn(text: string): readonly GpuUse[] {
  return linesOf(text).map((line) => line.split(',').map((cell) => cell.trim())).filter((cells) => cells.length === 4 && /^\d{1,4}$/.test(cells[0]))
    .map(([index, ...cells]) => {
      const [percentage, usedMib, totalMib] = cells.map(wholeNumber);
      return { index, percentage, usedMib, totalMib };
    });
}

/** The GPUs of a pod, or the reason why they cannot be read. */
export async function gpusOf(client: KubeClient, namespace: string, pod: string, container: string): Promise<readonly GpuUse[] | string> {
  try {
    const { end, out, err } = await execForOutput(client, { namespace, pod, container, command: QUERY }, TIMEOUT_MS);
    if (end.kind === 'failed') {
      return end.message;
    }
    return end.exitCode === 0 ? gpusIn(out) : printable((err.trim() || out.trim()).slice(0, 300)) || `nvidia-smi ended with exit code ${end.exitCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}
