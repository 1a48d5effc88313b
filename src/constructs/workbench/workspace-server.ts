import type * as kplus from 'cdk8s-plus-28';
import type { WorkspaceServerSpec } from '../../model/workbench/workspace';
import { programText } from '../../programs/program-text';
import { checkTypes } from '../props/check-props';

/** Mount path of users' keys. */
const KEYS_PATH = '/etc/trainyard/workspace-keys';

/** An SSH server. */
export interface WorkspaceSshOptions {
  /** Secret with the public keys of users, one per line, as `authorized_keys`. */
  readonly authorizedKeys: kplus.ISecret;
  /** Port that the server listens on. @default 2222 */
  readonly port?: number;
}

/** An editor in the browser. */
export interface WorkspaceEditorOptions {
  /**
   * Entry of a Secret with the password (`code-server`) or the token (JupyterLab).
   * @default - none: the server listens only inside the pod, for `kubectl port-forward`
   */
  readonly password?: kplus.SecretValue;

  /** Port that the server listens on. @default 8080 for code-server, 8888 for JupyterLab */
  readonly port?: number;

  /** Folder that the editor opens. @default - its own default */
  readonly folder?: string;
}

/** The server of a workspace. The program must be in the job's image. */
export class WorkspaceServer {
  /** OpenSSH, as the user of the container: for terminals, `scp`, and editors that connect over SSH. */
  public static ssh(options: WorkspaceSshOptions): WorkspaceServer {
    checkTypes('WorkspaceServer.ssh', 'WorkspaceSshOptions', options);
    const { authorizedKeys, port = 2222 } = options;
    return new WorkspaceServer('ssh', {
      name: 'sshd', port, command: ['sh', '-c', programText('workbench/sshd.sh'), 'ssh', String(port), `${KEYS_PATH}/authorized_keys`],
      hint: 'Install openssh-server in the image.',
    }, {}, authorizedKeys);
  }

  /** code-server: Visual Studio Code in the browser. */
  public static codeServer(options: WorkspaceEditorOptions = {}): WorkspaceServer {
    checkTypes('WorkspaceServer.codeServer', 'WorkspaceEditorOptions', options);
    const { password, port = 8080, folder } = options;
    return new WorkspaceServer('code-server', {
      name: 'code-server', port,
      command: [
        'code-server', '--bind-addr', `${password === undefined ? '127.0.0.1' : '0.0.0.0'}:${port}`, '--auth', password === undefined ? 'none' : 'password', '--disable-telemetry',
        ...(folder === undefined ? [] : [folder]),
      ],
      hint: 'Install code-server in the image.',
    }, password && { PASSWORD: password });
  }

  /** JupyterLab. */
  public static jupyterLab(options: WorkspaceEditorOptions = {}): WorkspaceServer {
    checkTypes('WorkspaceServer.jupyterLab', 'WorkspaceEditorOptions', options);
    const { password, port = 8888, folder } = options;
    return new WorkspaceServer('jupyter', {
      name: 'jupyter', port,
      command: [
        'jupyter', 'lab', `--ip=${password === undefined ? '127.0.0.1' : '0.0.0.0'}`, `--port=${port}`, '--no-browser', '--allow-root',
        // The server reads a token from JUPYTER_TOKEN itself.
        ...(password === undefined ? ['--IdentityProvider.token='] : []),
        ...(folder === undefined ? [] : [`--notebook-dir=${folder}`]),
      ],
      hint: 'Install jupyterlab in the image.',
    }, password && { JUPYTER_TOKEN: password });
  }

  /**
   * Any other program.
   * @param command the program and its arguments
   * @param port port that it listens on
   */
  public static command(command: string[], port: number): WorkspaceServer {
    return new WorkspaceServer(command[0] ?? 'none', { name: command[0] ?? 'none', command: [...command], port, hint: 'Install it in the image.' });
  }

  /** Its name. */
  public readonly name: string;

  /** Port that it listens on. */
  public readonly port: number;

  private constructor(
    name: string, private readonly spec: WorkspaceServerSpec, private readonly secrets: { readonly [variable: string]: kplus.SecretValue } = {},
    private readonly keys?: kplus.ISecret,
  ) {
    this.name = name;
    this.port = spec.port;
  }

  /** @internal */
  public _toSpec(): WorkspaceServerSpec {
    return this.spec;
  }

  /** Variables with passwords and tokens. @internal */
  public get _secrets(): { readonly [variable: string]: kplus.SecretValue } {
    return this.secrets;
  }

  /** Secret to mount, and its path. @internal */
  public get _keys(): { readonly secret: kplus.ISecret; readonly path: string } | undefined {
    return this.keys && { secret: this.keys, path: KEYS_PATH };
  }
}
