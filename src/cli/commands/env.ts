/** `trainyard env`: the variables that each rank of a job will see. */
import { Command } from 'commander';
import { engineOption } from '../choose-engine';
import { CliError } from '../cli-error';
import { chooseReplicas, dotenvLines, tableLines, type ReplicaChoice } from '../env/output';
import { seenReplicas } from '../env/seen-variables';
import { loadJob } from '../load-jobs';
import { count, indentedViolations } from '../text';
import { Terminal } from '../../local/output/terminal';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import { outputOption, parseCount } from '../options';

interface EnvFlags extends ReplicaChoice {
  readonly job?: string;
  readonly namespace?: string;
  readonly engine: EngineDefinition;
  readonly output: 'table' | 'json' | 'dotenv';
}

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a cdk8s app (main.ts, .js, .mjs) or the folder of one.

The output has the variables that the job, the framework's contract and the engine set; the image and Kubernetes add others. Secrets are
never resolved. dotenv is written for one replica: the one of --rank, else the first one of --role.`;

export function envCommand(): Command {
  return new Command('env')
    .description('print the variables that each rank of a job will see')
    .argument('<file>', 'manifest or cdk8s app with the job')
    .addOption(engineOption('engine that runs the job'))
    .option('-r, --rank <number>', 'only this rank', parseCount)
    .option('--role <name>', 'only replicas of this role')
    .addOption(outputOption('table', 'json', 'dotenv'))
    .option('-j, --job <name>', 'which job, when there are several')
    .option('-n, --namespace <name>', 'namespace of the job')
    .addHelpText('after', DETAILS)
    .action((file: string, flags: EnvFlags) => env(file, flags));
}

function env(file: string, flags: EnvFlags): void {
  const { name, namespace, spec, where, configMaps } = loadJob(file, flags);
  const { engine, output } = flags;
  const violations = validateForEngine(engine, name, spec);
  if (violations.length > 0) {
    throw new CliError(`'${name}' (${where}) cannot run on ${engine.title}:\n${indentedViolations(violations)}`);
  }
  const all = seenReplicas(engine, { name, namespace, spec }, configMaps);
  const chosen = chooseReplicas(all, flags);
  new Terminal().result(output, { job: name, engine: engine.name, replicas: chosen }, (paint) => {
    if (output === 'dotenv') {
      return dotenvLines(chosen[0]);
    }
    const shown = chosen.length < all.length ? `, of which ${chosen.length} ${chosen.length === 1 ? 'is' : 'are'} selected` : '';
    return [`${name} on ${engine.title}: ${count(all.length, 'replica')}${shown}`, '', ...tableLines(all, chosen, paint)].slice(0, -1);
  });
}

