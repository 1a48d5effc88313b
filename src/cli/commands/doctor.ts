/** `trainyard doctor`: whether a cluster can run jobs, and the jobs of a file in particular. */
import fs from 'node:fs';
import { Command } from 'commander';
import { CliError, USAGE_EXIT_CODE } from '../cli-error';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { collectCluster } from '../doctor/collect';
import { examine } from '../doctor/examine';
import type { DoctorReport } from '../doctor/finding';
import { command } from '../doctor/fixes';
import { reportLines } from '../doctor/output';
import { readProgram } from '../doctor/program';
import { readManifestFile, synthesize } from '../synth-app';
import { packageVersion, OPERATOR_PROGRAM } from '../version';
import { Terminal } from '../../local/output/terminal';
import { constructOperatorCode } from '../../manifests/operator/deployment';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { outputOption } from '../options';

interface DoctorFlags extends ClusterFlags {
  readonly output: 'text' | 'json';
}

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a cdk8s app (main.ts, .js, .mjs) or the folder of one, with jobs of any kind.
Without FILE, the cluster and the operator are checked; with it, also whether its jobs can run there: definitions, controllers, nodes, queues,
quotas, storage, Secrets, accounts and permissions. The command only reads, with your permissions; what you may not read is named in a note.
The exit code is 0 without errors, 1 with errors, and 2 when the cluster does not respond or the command line is wrong.`;

export function doctorCommand(): Command {
  const doctor = new Command('doctor')
    .description('check a cluster, and whether the jobs of a file can run there')
    .argument('[file]', 'manifest or cdk8s app')
    .option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the kubeconfig)');
  return withClusterOptions(doctor)
    .addOption(outputOption('text', 'json'))
    .addHelpText('after', DETAILS)
    .action(async (file: string | undefined, flags: DoctorFlags) => {
      process.exitCode = await diagnose(file, flags);
    });
}

async function diagnose(file: string | undefined, flags: DoctorFlags): Promise<number> {
  // The file is read before the cluster is contacted.
  const objects = file === undefined ? undefined : readObjects(file);
  let report: DoctorReport;
  let code: number;
  try {
    report = await withCluster(flags, async (client) => {
      const namespace = namespaceOf(client, flags);
      const program = objects === undefined ? undefined : readProgram(file!, objects, namespace);
      return examine(await collectCluster(client, { namespace, program, now: Date.now, version: packageVersion(), operatorCode: operatorCode() }));
    });
    code = report.findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  } catch (error) {
    if (!(error instanceof CliError)) {
      throw error;
    }
    report = unreachable(error, flags, file);
    code = USAGE_EXIT_CODE;
  }
  new Terminal().result(flags.output, report, (paint) => reportLines(report, paint));
  return code;
}

function readObjects(file: string): ManifestObject[] {
  return (readManifestFile(file) ?? synthesize(file, false).objects).map(({ object }) => object);
}

/** Hash of the operator's code as this version installs it; undefined in a clone without it. */
function operatorCode(): string | undefined {
  return fs.existsSync(OPERATOR_PROGRAM) ? constructOperatorCode(fs.readFileSync(OPERATOR_PROGRAM), '').hash : undefined;
}

function unreachable({ message }: CliError, { kubeconfig, context, namespace }: DoctorFlags, file: string | undefined): DoctorReport {
  const options = [...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]), ...(context === undefined ? [] : ['--context', context])];
  return {
    cluster: context ?? '(current context)', namespace: namespace ?? '(default)', ...(file !== undefined && { file }), notes: [],
    findings: [{
      id: 'ClusterUnreachable', severity: 'error', what: 'The cluster could not be checked.', evidence: [message], fix: command('kubectl', ...options, 'cluster-info'),
    }],
  };
}
