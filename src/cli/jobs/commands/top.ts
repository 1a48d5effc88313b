/** `trainyard top`: shows the resource use of a job's replicas. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { outputOption } from '../../options';
import { inParallel } from '../../diff/discovery';
import { replicaRows } from '../status/replica-rows';
import { currentJob, isFinal, podsOf, standingOfJob, titleOf, withJob, withJobOptions, type Target } from '../target';
import { gpuContainer, gpusOf, type GpuUse } from '../top/gpus';
import { topLines, type TopRow } from '../top/lines';
import { limitsOf, usageOf } from '../top/usage';
import { Terminal } from '../../../local/output/terminal';
import type { AnyObject, PodObject } from '../objects';

interface TopFlags extends ClusterFlags {
  readonly watch?: boolean;
  readonly output: 'text' | 'json';
}

/** Milliseconds between updates. The metrics server has new values every 15 seconds. */
const WATCH_MS = 5_000;

const DETAILS = 'CPU and memory come from the metrics server of the cluster, GPU use from nvidia-smi in the container that has the GPUs.';

export function topCommand(): Command {
  return withJobOptions(new Command('top')
    .description('show CPU, memory and GPU use of a job\'s replicas')
    .argument('<job>', 'job of a cluster')
    .option('-w, --watch', 'update every 5 seconds, until Ctrl-C or the end of the job')
    .addOption(outputOption('text', 'json')), DETAILS)
    .action(async (job: string, flags: TopFlags) => withJob(job, flags, async (target) => top(target, flags)));
}

async function top(target: Target, { watch, output }: TopFlags): Promise<void> {
  const terminal = new Terminal();
  const clears = watch && output === 'text' && process.stdout.isTTY;
  for (let job: AnyObject | undefined = target.job; job !== undefined;) {
    const pods = await podsOf(target, job);
    if (pods.length === 0 && !watch) {
      throw new CliError(`${titleOf(target)} has no pods, so there is no resource use to show. ${target.reader.unread.join(' ')}`.trim());
    }
    const { rows, hasMetrics } = await rowsOf(target, job, pods);
    if (clears) {
      process.stdout.write('\x1b[H\x1b[2J');
    }
    if (output === 'json') {
      terminal.line(JSON.stringify({ hasMetrics, replicas: rows }, undefined, watch ? undefined : 2));
    } else {
      terminal.lines(topLines(rows));
      if (!hasMetrics) {
        terminal.warn('CPU and memory are unknown: the cluster has no metrics server (metrics.k8s.io), it does not answer, or you do not have permission to read it.');
      }
    }
    if (!watch) {
      return;
    }
    await delay(WATCH_MS);
    job = await currentJob(target);
    if (job !== undefined && isFinal(standingOfJob(job))) {
      return;
    }
  }
}

async function rowsOf({ client, reader, kind, namespace }: Target, job: AnyObject, pods: readonly PodObject[]) {
  const [usages, gpus] = await Promise.all([usageOf(reader, namespace, kind.podSelectors(job)), gpusOfPods({ client, namespace }, pods)]);
  const rows = replicaRows(kind.workload, pods).map(({ pod: name, rank, role, state }): TopRow => {
    const pod = pods.find(({ metadata }) => metadata?.name === name)!;
    return { pod: name, rank, role, state, usage: usages?.get(name), limits: limitsOf(pod), gpus: gpus.get(name) };
  });
  return { rows, hasMetrics: usages !== undefined };
}

/** GPUs by pod name, see {@link gpusOf}. */
async function gpusOfPods(
  { client, namespace }: Pick<Target, 'client' | 'namespace'>, pods: readonly PodObject[],
): Promise<ReadonlyMap<string, readonly GpuUse[] | string>> {
  const asked = pods.flatMap((pod) => {
    const container = pod.status?.phase === 'Running' ? gpuContainer(pod) : undefined;
    return container === undefined ? [] : [{ name: pod.metadata!.name!, container }];
  });
  return new Map(await inParallel(asked, async ({ name, container }) => [name, await gpusOf(client, namespace, name, container)] as const));
}
