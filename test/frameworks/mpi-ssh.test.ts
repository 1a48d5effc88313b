/**
 * MPI over real ssh, with the very files, keys and variables that the operator gives to pods. A pod is a folder here: the paths in the files point
 * into it, each worker has a port of its own, and the launcher is told where the workers' names are. Everything runs as a user other than root.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeUnlessMissing } from './support/describe-framework';
import { findFramework, findOpenssh, isFound } from './support/frameworks';
import { ordinaryUserProblem, runAsOrdinaryUser } from './support/ordinary-user';
import { scriptFile } from './support/run-script';
import { freePorts } from '../../src/local/control-plane/ports';
import { constructMpiConfigMap, constructMpiSecret, withMpiSshKeys } from '../../src/manifests/job/mpi-files';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { PodAddressBook } from '../../src/model/frameworks/address-book';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { newMpiSshKeys } from '../../src/operator/training/ssh-keys';

/** A refusal in ssh's words: Open MPI warns with others of a setpgid that came too late, which harms nothing. */
const REFUSED = /Permission denied( \(|, )/;

const mpi = findFramework('mpi');
const openssh = findOpenssh();
const userProblem = ordinaryUserProblem();
const python = isFound(mpi) ? mpi.python : 'python3';
const server = 'sshd' in openssh ? openssh : { sshd: '/usr/sbin/sshd', library: undefined };

const missing = [
  ...('missing' in mpi ? [`mpi is missing: ${mpi.missing}`] : []),
  ...('missing' in openssh ? [`openssh is missing: ${openssh.missing}`] : []),
  ...(userProblem === undefined ? [] : [userProblem]),
];

const job = resolveTrainingJob('job', {
  framework: 'mpi', image: 'none', nprocPerNode: 2,
  hyperparameters: { LEARNING_RATE: '0.25', SCHEDULE: 'warm = 5; then "cosine" at $HOME' },
  roles: [{ name: 'launcher', command: ['mpirun'] }, { name: 'worker', replicas: 2 }],
});
const addresses = new PodAddressBook(job.name);
const ownership = { namespace: 'default' };
const LIMIT_SECONDS = 60;
const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll('\'', '\'\\\'\'')}'`;

/** The operator makes a key pair for the launcher and one for the workers; other engines have one for both. */
const SECRETS = [{ title: 'MPI over ssh', hostKeyIsClients: false }, { title: 'MPI over ssh with one key pair', hostKeyIsClients: true }];

SECRETS.forEach(({ title, hostKeyIsClients }) => describeUnlessMissing(title, missing, () => {
  let folder: string;
  let ports: number[];
  const workers = job.replicas.filter(({ role }) => role === 'worker');

  beforeAll(async () => {
    ports = await freePorts(workers.length);
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-mpi-'));
    fs.chmodSync(folder, 0o755);
    // The other user may see neither the repository nor the cache.
    const sshd = copy(server.sshd);
    if (server.library) {
      copy(server.library);
    }
    ['mpi_sum.py', 'mpi_hyperparameters.py'].forEach((name) => copy(scriptFile(name)));
    const secret = withMpiSshKeys(constructMpiSecret(job, ownership), newMpiSshKeys());
    const { 'ssh-hostkey': _hostKey, 'known_hosts': _knownHosts, ...one } = secret.stringData!;
    writeFiles(path.join(folder, 'secret'), hostKeyIsClients ? one : secret.stringData!);
    const files = constructMpiConfigMap(job, ownership, addresses).data!;
    job.replicas.forEach(({ podName }) => {
      ['keys', 'tmp'].forEach((name) => fs.mkdirSync(path.join(folder, podName, name), { recursive: true }));
      const here = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, inFolder(podName, text)]));
      const port = ports[workers.findIndex((worker) => worker.podName === podName)];
      writeFiles(path.join(folder, podName, 'mpi'), {
        ...here,
        'worker.sh': here['worker.sh'].replace('/usr/sbin/sshd', `${sshd} -p ${port} -o ListenAddress=127.0.0.1`),
        // What comes first in this file holds.
        'ssh_config': `${whereWorkersAre()}${here.ssh_config}`,
      });
    });
  });

  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('ranks on two workers add up over the connections that the operator\'s files make', () => {
    const { results, all } = runLauncher(['mpirun', python, path.join(folder, 'mpi_sum.py')]);
    const ranks = results.map((line) => JSON.parse(line) as { rank: number }).sort((one, other) => one.rank - other.rank);
    expect(ranks).toEqual([0, 1, 2, 3].map((rank) => ({ framework: 'mpi', rank, world: 4, sum: 10, localSize: 2 })));
    expect(all).not.toMatch(REFUSED);
  });

  test('a worker whose init container runs again writes its environment anew', () => {
    const { results, all } = runLauncher(['mpirun', python, path.join(folder, 'mpi_sum.py')]);
    expect(results).toHaveLength(4);
    expect(all).not.toMatch(REFUSED);
  });

  test('ranks see the hyperparameters of the worker\'s container, which sshd hides', () => {
    const { results } = runLauncher(['mpirun', python, path.join(folder, 'mpi_hyperparameters.py'), 'LEARNING_RATE', 'SCHEDULE']);
    expect(results).toHaveLength(4);
    for (const line of results) {
      expect(JSON.parse(line)).toMatchObject({ LEARNING_RATE: '0.25', SCHEDULE: 'warm = 5; then "cosine" at $HOME' });
    }
  });

  test('a key that is not the job\'s is refused', () => {
    const strange = path.join(folder, 'job-launcher', 'keys', 'ssh-privatekey');
    const { client } = newMpiSshKeys();
    const swap = `cp ${strange} ${strange}.own; chmod 600 ${strange}; printf %s ${quoted(client.privateKey)} > ${strange}`;
    const ssh = `ssh -F ${path.join(folder, 'job-launcher', 'mpi', 'ssh_config')} ${addresses.host(workers[0])} echo in`;
    const { all } = launch(['/bin/sh', '-c', `${swap}; ${ssh} 2>&1; mv -f ${strange}.own ${strange}`]);
    expect(all).toContain('Permission denied (publickey)');
    expect(all).not.toMatch(/^in$/m);
  });

  function whereWorkersAre(): string {
    return workers.map((worker, index) => `Host ${addresses.host(worker)}\n  HostName 127.0.0.1\n  Port ${ports[index]}\n`).join('');
  }

  function copy(file: string): string {
    const target = path.join(folder, path.basename(file));
    fs.copyFileSync(file, target);
    return target;
  }

  function writeFiles(target: string, files: { readonly [name: string]: string }): void {
    fs.mkdirSync(target, { recursive: true });
    Object.entries(files).forEach(([name, text]) => fs.writeFileSync(path.join(target, name), text));
  }

  /** The text with the paths of a pod's volumes as they are here. */
  function inFolder(podName: string, text: string): string {
    const places: { readonly [path: string]: string } = {
      '/etc/mpi-ssh-auth': path.join(folder, 'secret'),
      '/etc/mpi-ssh': path.join(folder, podName, 'keys'),
      '/etc/mpi': path.join(folder, podName, 'mpi'),
    };
    return text.replaceAll(/\/etc\/mpi(-ssh(-auth)?)?(?=\/)/g, (place) => places[place]);
  }

  /** Environment of the replica's container as arguments for env(1). */
  function environment(podName: string): string {
    const replica = job.replicas.find((candidate) => candidate.podName === podName)!;
    const pod = constructReplicaPod({ job, replica, namespace: 'default', attempt: 0, addresses });
    const entries = pod.spec!.containers[0].env!.map(({ name, value }) => `${name}=${inFolder(podName, (value ?? '').replaceAll('$$', '$'))}`);
    // Pods share no folder for temporary files, and daemons of Open MPI that start at the same moment cannot share one.
    return [`PATH=${PATH}`, `HOME=${folder}`, `TMPDIR=${path.join(folder, podName, 'tmp')}`, ...entries].map(quoted).join(' ');
  }

  /** A program that has to tell something. @throws Error with all that was printed when it does not */
  function runLauncher(command: readonly string[]) {
    const { results, all } = launch(command);
    if (results.length === 0) {
      throw new Error(all);
    }
    return { results, all };
  }

  /** Starts the workers' servers, waits for them as the launcher's init container does, and runs a program in the launcher. */
  function launch(command: readonly string[]) {
    const mpiFile = (podName: string, name: string) => path.join(folder, podName, 'mpi', name);
    const library = server.library ? [`LD_LIBRARY_PATH=${folder}`] : [];
    // The workers are on one machine: see src/local/runner/mpi-launch.ts.
    const oneMachine = ['OMPI_MCA_btl=self,tcp', 'OMPI_MCA_btl_tcp_if_include=lo', 'OMPI_MCA_oob_tcp_if_include=lo'];
    const script = [
      'set -u',
      'servers=',
      // The next run has the same ports: who still listens would answer its launcher and be gone a moment later.
      'trap \'kill $servers 2>/dev/null; wait $servers\' EXIT',
      ...workers.flatMap(({ podName }) => [
        `env -i ROLE=worker PATH=${PATH} sh ${mpiFile(podName, 'prepare.sh')}`,
        `env -i ${environment(podName)} ${library.map(quoted).join(' ')} sh ${mpiFile(podName, 'worker.sh')} &`,
        'servers="$servers $!"',
      ]),
      `env -i ROLE=launcher PATH=${PATH} timeout ${LIMIT_SECONDS} sh ${mpiFile('job-launcher', 'prepare.sh')} || exit 1`,
      `env -i ${environment('job-launcher')} ${oneMachine.join(' ')} timeout ${LIMIT_SECONDS} ${command.map(quoted).join(' ')}`,
    ];
    const file = path.join(folder, 'run.sh');
    fs.writeFileSync(file, script.join('\n'));
    const { stdout, stderr, status } = runAsOrdinaryUser(folder, file, 3 * LIMIT_SECONDS * 1000);
    const all = `exit code ${status}\n${stdout}\n${stderr}`;
    const results = stdout.split('\n').filter((line) => line.startsWith('{'));
    return { results, all };
  }
}));
