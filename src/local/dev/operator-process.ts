/** The operator as a process. It is restarted when it ends, like its Deployment does. */
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from '../control-plane/child-process';
import { OPERATOR_NAMESPACE } from '../../manifests/operator/settings';

/** Milliseconds before an operator that ended is started again. */
const RESTART_MS = 1000;

/** Milliseconds that it gets for its orderly end. */
const STOP_GRACE_MS = 5000;

/** What the operator is started with. */
export interface OperatorProcessOptions {
  /** The bundled operator, an ES module. */
  readonly program: string;
  readonly kubeconfig: string;
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
  /** Port of 127.0.0.1 on which scripts report their progress; the same after a restart, because pods have it. */
  readonly progressPort: number;
  /** Called when it has ended without having been asked to, with the last lines of its log. */
  readonly onEnd: (lastLines: string) => void;
}

export class OperatorProcess {
  private child: Child;
  private stopping = false;

  /** Starts it. */
  public constructor(private readonly options: OperatorProcessOptions) {
    this.child = this.launch();
    void this.keepRunning();
  }

  /** Its process id. */
  public get pid(): number | undefined {
    return this.child.pid;
  }

  /** Ends it. */
  public async stop(): Promise<void> {
    this.stopping = true;
    await this.child.stop(STOP_GRACE_MS);
  }

  private async keepRunning(): Promise<void> {
    for (;;) {
      await this.child.exited;
      if (this.stopping) {
        return;
      }
      this.options.onEnd(this.child.lastLogLines(5));
      await delay(RESTART_MS);
      if (this.stopping) {
        return;
      }
      this.child = this.launch();
    }
  }

  private launch(): Child {
    const { program, kubeconfig, logFile, env, progressPort } = this.options;
    return new Child({
      name: 'operator',
      command: process.execPath,
      args: [program],
      logFile,
      env: {
        ...env,
        KUBECONFIG: kubeconfig,
        LEADER_ELECT: 'false',
        // Replicas are processes of this machine: they meet on loopback, each at a port of its own.
        TRAINYARD_ADDRESSES: 'loopback',
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        POD_NAMESPACE: OPERATOR_NAMESPACE,
        PROGRESS_URL: `https://127.0.0.1:${progressPort}`,
        PROGRESS_HOST: '127.0.0.1',
      },
    });
  }
}
