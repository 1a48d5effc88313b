/** `trainyard dev`: a cluster without a cluster. */
import { Command, InvalidArgumentError } from 'commander';
import { watchSignals } from '../signals';
import { DevEnvironment } from '../../local/dev/dev-environment';
import { PodLines } from '../../local/output/pod-lines';
import { Terminal } from '../../local/output/terminal';
import { OPERATOR_PROGRAM } from '../version';

interface DevFlags {
  readonly keep?: boolean;
  readonly port?: number;
}

const DETAILS = `
Starts etcd, kube-apiserver and the operator on loopback, and runs pods as processes on this machine in the current folder.
Files are in .trainyard/dev. The first start downloads or builds the control plane, which takes minutes. Press Ctrl-C to stop
everything, twice to stop immediately.`;

export function devCommand(): Command {
  return new Command('dev')
    .description('a local control plane with the operator, for kubectl; pods are processes')
    .option('--keep', 'continue with the previous cluster')
    .option('--port <number>', 'port of the API server (default: a free one)', parsePort)
    .addHelpText('after', DETAILS)
    .action(async (flags: DevFlags) => {
      process.exitCode = await dev(flags);
    });
}

async function dev({ keep, port }: DevFlags): Promise<number> {
  const terminal = new Terminal();
  const lines = new PodLines(terminal);
  const say = (message: string) => terminal.note(terminal.paintErr(`trainyard: ${message}`, 'grey'));
  const warn = (message: string) => terminal.warn(message);
  let environment: DevEnvironment | undefined;
  let asked!: () => void;
  const end = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const signals = watchSignals({
    first: (signal) => {
      warn(`${signal}: stopping everything; press again to stop immediately`);
      asked();
    },
    again: () => void environment?.stop(0),
  });
  try {
    say('starting the control plane');
    environment = await DevEnvironment.start({
      workingDir: process.cwd(), operatorProgram: OPERATOR_PROGRAM, keep, port, onLine: (pod, line) => lines.write(pod, line), notice: say, warn,
    });
    usage(environment).forEach((line) => terminal.note(line));
    await end;
    await environment.stop();
  } finally {
    signals.stop();
  }
  return signals.exitCode ?? 0;
}

function usage({ kubeconfig, url, operatorLog }: DevEnvironment): string[] {
  return [
    `Ready at ${url}; the operator logs to ${operatorLog}. In another terminal:`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl apply -f job.yaml',
    '  kubectl get mltj -A -w',
    '  kubectl logs -l job=NAME --prefix -f',
    '',
  ];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new InvalidArgumentError('It must be a number from 1 to 65535.');
  }
  return port;
}
