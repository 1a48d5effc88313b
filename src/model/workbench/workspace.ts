/** A workspace: what people work with in a pod of a job, and the rules on it. */
import { ViolationCollector, type Violation } from '../violations';

/** The program that people connect to. */
export interface WorkspaceServerSpec {
  /** How messages call it. */
  readonly name: string;
  readonly command: readonly string[];
  readonly port: number;
  /** What to do when the image has not the command. */
  readonly hint: string;
}

export interface WorkspaceSpec {
  readonly server: WorkspaceServerSpec;
  /** 0 for never. */
  readonly idleSeconds: number;
  readonly maxSeconds?: number;
  /** Role that it is a replica of. */
  readonly role?: string;
  /** Roles of the job; empty in the short form. */
  readonly roles: readonly string[];
}

/** Connections are counted four times a minute. */
const SHORTEST_IDLE_SECONDS = 60;

export function validateWorkspace({ server, idleSeconds, maxSeconds, role, roles }: WorkspaceSpec): Violation[] {
  const violations = new ViolationCollector();
  violations.whole('server.port', server.port, 1, 65_535);
  if (server.command.length === 0) {
    violations.add('server.command', undefined, 'is empty. Set the program that listens on the port.');
  }
  if (idleSeconds !== 0 && idleSeconds < SHORTEST_IDLE_SECONDS) {
    violations.add('idleTimeout', idleSeconds, `must be ${SHORTEST_IDLE_SECONDS} seconds or more, so that reloading the page does not count as idle. Use Duration.seconds(0) for never.`);
  }
  if (maxSeconds !== undefined && idleSeconds >= maxSeconds) {
    violations.add('idleTimeout', idleSeconds, `is not less than maxDuration (${maxSeconds}), which ends the workspace earlier. Lower it, or leave maxDuration out.`);
  }
  if (role !== undefined && !roles.includes(role)) {
    const known = roles.length === 0 ? 'uses the short form, which has no roles. Leave it out.' : `has the roles ${roles.join(', ')}.`;
    violations.add('role', role, `the job ${known}`);
  }
  return violations.violations;
}
