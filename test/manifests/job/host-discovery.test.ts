/** The files of elastic Horovod, and its discovery script run by a real shell with a stand-in for DNS. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { constructJobObjects } from '../../../src/manifests/job/job-objects';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { shortForm } from '../../model/jobs';

const job = resolveTrainingJob('net', shortForm('horovod', 2, { elastic: { minReplicas: 2, maxReplicas: 4 }, nprocPerNode: 2 }));
const objects = constructJobObjects({ job, namespace: 'ml' });
const files = objects.configMaps[0].data!;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-discovery-'));

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** What the script prints when these names lead to a pod. */
function discovered(ready: readonly string[], data = files): { status: number | null; hosts: string[] } {
  fs.writeFileSync(path.join(folder, 'getent'), `#!/bin/sh\ncase "$2" in nothing) ;; ${ready.map((name) => `${name}) echo 10.0.0.1 "$2";;`).join(' ')} *) exit 2;; esac\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(folder, 'possible_hosts'), data.possible_hosts);
  fs.writeFileSync(path.join(folder, 'discover_hosts.sh'), data['discover_hosts.sh'], { mode: 0o555 });
  const { status, stdout } = spawnSync(path.join(folder, 'discover_hosts.sh'), { encoding: 'utf8', env: { PATH: `${folder}:${process.env.PATH}` } });
  fs.rmSync(path.join(folder, 'discover_hosts.sh'));
  return { status, hosts: stdout.split('\n').filter(Boolean).sort() };
}

test('the script prints each worker whose name leads to a pod, with its slots', () => {
  expect(discovered(['net-worker-0.net', 'net-worker-3.net'])).toEqual({ status: 0, hosts: ['net-worker-0.net:2', 'net-worker-3.net:2'] });
});

test('the script prints nothing, and does not fail, while no worker is ready', () => {
  expect(discovered([])).toEqual({ status: 0, hosts: [] });
});

test('workers beyond the range that the job may have are not asked for', () => {
  expect(discovered(['net-worker-4.net']).hosts).toEqual([]);
});

test('many workers are asked for in batches, and none is missed', () => {
  const large = resolveTrainingJob('net', shortForm('horovod', 100, { elastic: { minReplicas: 1, maxReplicas: 100 } }));
  const { data } = constructJobObjects({ job: large, namespace: 'ml' }).configMaps[0];
  expect(discovered(['net-worker-*'], data).hosts).toHaveLength(100);
});

test('the files are the same whatever the number of workers is, because they are written once', () => {
  const four = resolveTrainingJob('net', { ...job.spec, replicas: 4 });
  expect(constructJobObjects({ job: four, namespace: 'ml' }).configMaps[0].data!.hostfile).toBe(files.hostfile);
});

test('a name leads to a worker exactly while it can be used: ready pods only, and seconds before a pod ends not any more', () => {
  expect(objects.services.map(({ spec }) => spec!.publishNotReadyAddresses)).toEqual([false]);
  const pod = (replica: number) => constructReplicaPod({ job, replica: job.replicas[replica], attempt: 0, namespace: 'ml' }).spec!.containers[0];
  expect(pod(1)).toMatchObject({ readinessProbe: { tcpSocket: { port: 2222 } }, lifecycle: { preStop: { exec: { command: ['sleep', '10'] } } } });
  expect(pod(0)).not.toHaveProperty('readinessProbe');
});

test('the launcher may run the script, and starts with the fewest workers', () => {
  const pod = constructReplicaPod({ job, replica: job.replicas[0], attempt: 0, namespace: 'ml' });
  expect(pod.spec!.volumes).toContainEqual({ name: 'trainyard-mpi-config', configMap: { name: 'net-mpi-config', defaultMode: 0o555 } });
  expect(files.fewest_hosts).toBe('2\n');
});

test('a job that is not elastic has no script, and publishes all of its pods', () => {
  const fixed = constructJobObjects({ job: resolveTrainingJob('net', shortForm('horovod', 2)), namespace: 'ml' });
  expect(fixed.configMaps[0].data).not.toHaveProperty(['discover_hosts.sh']);
  expect(fixed.services.map(({ spec }) => spec!.publishNotReadyAddresses)).toEqual([true]);
});
