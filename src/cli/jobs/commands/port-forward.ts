/** `trainyard port-forward`: forwards local ports to a replica of a job. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { parseCount } from '../../options';
import type { ReplicaFlags } from '../replicas';
import { forwardingLine, openPorts } from '../streams/forward-job';
import { oneReplica } from '../streams/one-replica';
import { parsePortSpec, resolvePort, type PortSpec } from '../streams/port-spec';
import { withJob, withJobOptions, type Target } from '../target';
import { Terminal } from '../../../local/output/terminal';

interface PortForwardFlags extends ClusterFlags, ReplicaFlags {
  readonly address: string;
}

const DETAILS = `A port is REMOTE, LOCAL:REMOTE, or :REMOTE for any free local port. REMOTE is a number or the name of a container port, such as dashboard.
Forwarding continues after the replica restarts. It ends with Ctrl-C, or when a connection fails because the job has ended. If --address is not a
loopback address, everyone who can reach this machine can use the ports.`;

export function portForwardCommand(): Command {
  return withJobOptions(new Command('port-forward')
    .description('forward local ports to a replica of a job')
    .argument('<job>', 'job of a cluster')
    .argument('<port...>', '[LOCAL:]REMOTE')
    .option('-r, --rank <number>', 'rank of the replica (default: 0)', parseCount)
    .option('--role <name>', 'role of the replica')
    .option('--address <address>', 'address of this machine to listen on', '127.0.0.1'), DETAILS)
    .action(async (job: string, ports: readonly string[], flags: PortForwardFlags) => {
      const specs = ports.map(parsePortSpec);
      process.exitCode = await withJob(job, flags, async (target) => forward(target, specs, flags));
    });
}

async function forward(target: Target, specs: readonly PortSpec[], flags: PortForwardFlags): Promise<number> {
  const terminal = new Terminal();
  const { pod, name } = await oneReplica(target, flags, 'forward ports');
  const wanted = specs.map((spec) => ({ namespace: target.namespace, pod: name, ports: resolvePort(spec, pod) }));
  const open = await openPorts(target, wanted, flags.address, terminal);
  open.ports.forEach((port) => terminal.line(forwardingLine(port, flags.address, name)));
  if (!isLoopback(flags.address)) {
    terminal.warn(`everyone who can reach ${flags.address} can use these ports`);
  }
  return open.wait();
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
}
