/** `trainyard scale`: changes the number of replicas. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { parseCount } from '../../options';
import { titleOf, withJob, withJobOptions, type Target } from '../target';
import { count, jsonPointer } from '../../text';
import { Terminal } from '../../../local/output/terminal';
import type { JsonRecord } from '../../../model/json-parts';
import { unknownRole } from '../replicas';

interface ScaleFlags extends ClusterFlags {
  readonly role?: string;
}

const DETAILS = `The cluster decides whether the number can be changed while the job runs: an MLTrainingJob with spec.elastic, workers of an elastic PyTorchJob,
groups of Ray workers, services. If it rejects the change, its message is shown.`;

export function scaleCommand(): Command {
  return withJobOptions(new Command('scale')
    .description('change the number of replicas of a job or service')
    .argument('<job>', 'job of a cluster')
    .argument('<replicas>', 'number of replicas', parseCount)
    .option('--role <name>', 'role or group of workers, where there are several'), DETAILS)
    .action(async (job: string, replicas: number, flags: ScaleFlags) => {
      new Terminal().line(await withJob(job, flags, async (target) => scale(target, replicas, flags.role)));
    });
}

async function scale(target: Target, replicas: number, role: string | undefined): Promise<string> {
  const { client, job, kind, ref } = target;
  const title = titleOf(target);
  const all = kind.workload.scales?.((job.spec ?? {}) as JsonRecord) ?? [];
  if (all.length === 0) {
    throw new CliError(`${title}: a ${kind.kind} has no number of replicas that can be changed.`);
  }
  const roles = all.flatMap((one) => one.role ?? []);
  const chosen = all.length === 1 && role === undefined ? all[0] : all.find((one) => one.role === role && role !== undefined);
  if (chosen === undefined) {
    throw role === undefined ? new CliError(`${title} has several roles: ${roles.join(', ')}. Choose one with --role.`) : unknownRole(role, roles, 'replicas');
  }
  const path = jsonPointer(['spec', ...chosen.field]);
  await client.patch(kind, ref, [{ op: 'add', path, value: replicas }], { type: 'json' });
  const before = chosen.replicas === undefined ? '' : `, before ${chosen.replicas}`;
  return `${title} has ${count(replicas, 'replica')}${chosen.role === undefined ? '' : ` of ${chosen.role}`}${before}.`;
}
