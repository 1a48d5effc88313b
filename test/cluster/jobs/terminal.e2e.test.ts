/**
 * The commands on jobs in a terminal, as people have them: live lines, Ctrl-C, a cluster that is away for a while, and refusals. Needs Python's
 * `pty`; without it, these tests are skipped.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { stringify } from 'yaml';
import { DevEnvironment } from '../../../src/local/dev/dev-environment';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { CTRL_C, hasTerminals, TerminalRun } from '../../cli/support/terminal-run';
import { temporaryFolder } from '../../local/support/temporary-folder';

const ROOT = path.join(__dirname, '..', '..', '..');
/** What the live line is cleared with before it is drawn again. */
const REDRAW = '\r\x1b[2K';

const folder = temporaryFolder();
let environment: DevEnvironment;
let client: KubeClient;
let road: Road;

/** The way to the API server, which can be cut. */
class Road {
  private readonly sockets = new Set<net.Socket>();
  private server?: net.Server;
  public port = 0;

  public constructor(private readonly target: number) {}

  public async open(): Promise<void> {
    this.server = net.createServer((socket) => {
      const other = net.connect(this.target, '127.0.0.1');
      [socket, other].forEach((end) => {
        this.sockets.add(end);
        end.on('error', () => undefined).on('close', () => this.sockets.delete(end));
      });
      socket.pipe(other).pipe(socket);
    });
    await new Promise<void>((resolve) => {
      this.server!.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (this.server.address() as net.AddressInfo).port;
  }

  public async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server!.close(resolve));
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }
}

/** A command on the cluster, in a terminal. */
const inTerminal = (args: readonly string[], file = environment.kubeconfig) => new TerminalRun([...args, '--kubeconfig', file], folder);

/** A kubeconfig with another server or user. */
function kubeconfig(name: string, change: (text: string) => string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, change(fs.readFileSync(environment.kubeconfig, 'utf8')));
  return file;
}

function jobFile(name: string, script: string, replicas = 2): string {
  const spec = { framework: 'plain', image: 'registry.example/train:1', replicas, command: ['/bin/sh', '-c', script] };
  fs.writeFileSync(path.join(folder, `${name}.yaml`), stringify({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name }, spec }));
  return `${name}.yaml`;
}

const until = (file: string) => `while [ ! -e ${path.join(folder, file)} ]; do sleep 0.2; done`;

(hasTerminals ? describe : describe.skip)('in a terminal', () => {
  beforeAll(async () => {
    environment = await DevEnvironment.start({
      workingDir: folder, operatorProgram: path.join(ROOT, 'assets', 'operator.mjs.br'), onLine: () => undefined, notice: () => undefined, warn: () => undefined,
    });
    client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
    road = new Road(Number(new URL(environment.url).port));
    await road.open();
  });

  afterAll(async () => {
    await road?.cut();
    client?.close();
    await environment?.stop(0);
  });

  test('a job is watched on a line that is drawn again, through a lost connection, to its end', async () => {
    const cuttable = kubeconfig('road', (text) => text.replaceAll(environment.url, `https://127.0.0.1:${road.port}`));
    const watched = inTerminal(['submit', jobFile('steady', until('done')), '--watch'], cuttable);
    await watched.shows('Running · 2/2 ready');
    await watched.shows(REDRAW, 3);
    await road.cut();
    await watched.shows('the cluster does not answer; trying again');
    const before = watched.screen.length;
    await road.open();
    await watched.shows('Running · 2/2 ready', 1, before);
    fs.writeFileSync(path.join(folder, 'done'), '');
    expect(await watched.ended).toEqual({ code: 0, inOrder: true });
    expect(watched.screen.trimEnd()).toMatch(/Completed · 2\/2 ready\S*$/);
    // One line at the bottom: what is drawn never breaks into a second one.
    expect(watched.screen.split(REDRAW).every((line) => line.split('\n')[0].length < 120)).toBe(true);
  });

  test('Ctrl-C ends what watches and follows, and neither the job nor the terminal', async () => {
    const submitted = inTerminal(['submit', jobFile('stays', until('stop')), '--watch']);
    await submitted.shows('Running · 2/2 ready');
    submitted.type(CTRL_C);
    expect(await submitted.ended).toEqual({ code: 130, inOrder: true });
    const runs = [inTerminal(['logs', 'stays', '--follow']), inTerminal(['list', '--watch'])];
    await runs[1].shows('stays');
    runs.forEach((run) => run.type(CTRL_C));
    expect(await Promise.all(runs.map(async ({ ended }) => ended))).toEqual(runs.map(() => ({ code: 130, inOrder: true })));
    const status = inTerminal(['status', 'stays']);
    expect(await status.ended).toEqual({ code: 0, inOrder: true });
    expect(status.screen).toContain('Running · 2/2 ready');
  });

  test('logs of 64 ranks are followed through a lost connection, each with its colour', async () => {
    const submitted = inTerminal(['submit', jobFile('wide', `echo rank $RANK begins; ${until('enough')}; echo rank $RANK ends`, 64)]);
    expect(await submitted.ended).toEqual({ code: 0, inOrder: true });
    const followed = inTerminal(['logs', 'wide', '--follow'], path.join(folder, 'road'));
    await followed.shows('begins', 64);
    await road.cut();
    await road.open();
    fs.writeFileSync(path.join(folder, 'enough'), '');
    expect(await followed.ended).toEqual({ code: 0, inOrder: true });
    for (let rank = 0; rank < 64; rank++) {
      expect(followed.screen).toMatch(new RegExp(`\\[[0-9;]+m\\[${rank}\\] worker-${rank} +\\| \\S*rank ${rank} ends`));
    }
  });

  test('a list goes on after the cluster was away', async () => {
    const listed = inTerminal(['list', '--watch'], path.join(folder, 'road'));
    await listed.shows('stays');
    await road.cut();
    await listed.shows('The cluster does not answer');
    await road.open();
    const submitted = inTerminal(['submit', jobFile('later', 'exit 0', 1)]);
    expect((await submitted.ended).code).toBe(0);
    await listed.shows('later');
    listed.type(CTRL_C);
    expect(await listed.ended).toEqual({ code: 130, inOrder: true });
  });

  test('what is not there and what is not allowed is said in a sentence', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.raw('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'stranger' } });
    const { status: { token } } = await client.raw<{ readonly status: { readonly token: string } }>('POST', `${accounts}/stranger/token`, {
      apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {},
    });
    const stranger = kubeconfig('stranger', (text) => text.replace(/"token": "[^"]*"/, `"token": "${token}"`));
    const misspelt = inTerminal(['status', 'stay']);
    expect(await misspelt.ended).toEqual({ code: 2, inOrder: true });
    expect(misspelt.screen).toContain("Did you mean 'stays'?");
    const refused = [inTerminal(['submit', jobFile('foreign', 'exit 0')], stranger), inTerminal(['logs', 'stays', '-f'], stranger)];
    expect(await Promise.all(refused.map(async ({ ended }) => ended))).toEqual(refused.map(() => ({ code: 2, inOrder: true })));
    expect(refused[0].screen).toMatch(/cannot (?:get|create) resource "mltrainingjobs"/);
    expect(refused[1].screen).toContain("There is no job 'stays'");
  });

  test('the doctor finds nothing wrong with trainyard dev', async () => {
    const doctor = inTerminal(['doctor']);
    expect(await doctor.ended).toEqual({ code: 0, inOrder: true });
    expect(doctor.screen).toContain('No problems found.');
  });
});
