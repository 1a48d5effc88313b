/**
 * Three replicas of an operator with shards, killed and stopped at random while jobs come all the time. The API server writes down each request and
 * whose credentials it had: each write for a job comes from whoever holds the job's shard at that moment, so no two ever work on one job.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeFaults } from './support/fault-suite';
import { SeededRandom } from './support/random';
import { operatorShardLease } from '../../src/manifests/operator/settings';
import { ARRAY_LABEL } from '../../src/model/labels';
import { shardOf } from '../../src/operator/training/shards';
import { eventually } from '../cluster/support/cluster';
import { accessOperator, installOperator, type Installation, type OperatorProcess } from '../cluster/support/operator';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-shards-'));
const auditLog = path.join(folder, 'audit.log');
const suite = describeFaults({ auditLogPath: auditLog, apiServerArgs: ['--audit-log-mode=blocking'] });
const installations: Installation[] = [];

const SHARDS = 6;
const REPLICAS = 3;
const BLOWS = Number(process.env.TRAINYARD_SHARD_BLOWS ?? 12);

/** A test that takes longer hangs, milliseconds. */
const PATIENCE_MS = 240_000 + 10_000 * BLOWS;

afterAll(() => {
  installations.forEach(({ removeFiles }) => removeFiles());
  fs.rmSync(folder, { recursive: true, force: true });
});

const pause = async (ms: number) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** A place for a replica: when its process ends another is started, under its own name and with its own token. */
class Place {
  public operator!: OperatorProcess;
  private starts = 0;
  private isClosed = false;

  /** @param names of all processes, by what the audit log calls their token */
  public constructor(private readonly place: number, private readonly names: Map<string, string>) {}

  public async start(): Promise<void> {
    const name = `replica-${this.place}-${this.starts++}`;
    const installation = await accessOperator(suite.api, suite.installation.namespace);
    installations.push(installation);
    this.names.set(credentialOf(installation), name);
    this.operator = suite.start(name, undefined, { LEASE_SECONDS: '4', SHARDS: String(SHARDS) }, installation);
    // As a kubelet does.
    void this.operator.child.exited.then(async () => (this.isClosed ? undefined : this.start()));
  }

  /** Nothing is started again. */
  public close(): void {
    this.isClosed = true;
  }
}

/** What the audit log calls the token of an installation. */
function credentialOf({ kubeconfig }: Installation): string {
  const { users: [{ user: { token } }] } = JSON.parse(fs.readFileSync(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString('utf8')) as { jti: string };
  return `JTI=${jti}`;
}

interface AuditEvent {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly extra?: { readonly [name: string]: readonly string[] } };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
}

/** A write of a replica, in the order in which they came. */
interface Write {
  readonly by: string;
  readonly at: string;
  readonly what: string;
  /** Shard whose Lease was written, or to which the job belongs that was written for. */
  readonly shard: number;
  readonly isLease: boolean;
}

/** @param parents the array that each copy belongs to, by name of the copy */
function writesOf(names: ReadonlyMap<string, string>, jobs: readonly string[], parents: ReadonlyMap<string, string>): Write[] {
  const shards = new Map(Array.from({ length: SHARDS }, (_, shard) => [operatorShardLease(shard), shard]));
  const longestFirst = [...jobs].sort((one, other) => other.length - one.length);
  return fs.readFileSync(auditLog, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as AuditEvent)
    .sort((one, other) => (one.requestReceivedTimestamp < other.requestReceivedTimestamp ? -1 : 1))
    .flatMap(({ verb, user, objectRef, responseStatus, requestReceivedTimestamp: at }): Write[] => {
      const by = names.get(user.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '');
      if (by === undefined || objectRef === undefined || !['create', 'update', 'patch', 'delete'].includes(verb)) {
        return [];
      }
      const { resource, subresource, name = '', namespace } = objectRef;
      const what = `${verb} ${resource}${subresource ? `/${subresource}` : ''} ${name}`;
      if (resource === 'leases') {
        const shard = shards.get(name);
        // One that was refused has changed nothing.
        return shard === undefined || (responseStatus?.code ?? 0) >= 300 ? [] : [{ by, at, what, shard, isLease: true }];
      }
      const job = longestFirst.find((each) => name === each || name.startsWith(`${each}-`) || name.startsWith(`${each}.`));
      if (job === undefined) {
        throw new Error(`${what}: of no job`);
      }
      // A copy is made, suspended and deleted by whoever holds the array, and all else of it is done by whoever holds the copy.
      const holder = resource === 'mltrainingjobs' && subresource === undefined ? parents.get(job) ?? job : job;
      return [{ by, at, what, shard: shardOf(`${namespace}/${holder}`, SHARDS), isLease: false }];
    });
}

test(`no two replicas work on one job although they are killed and stopped ${BLOWS} times, and all jobs end`, async () => {
  const random = SeededRandom.forTest('sharding');
  await installOperator(suite.api, suite.installation.namespace, [], SHARDS).then((installation) => installations.push(installation));
  const names = new Map<string, string>();
  const places = Array.from({ length: REPLICAS }, (_, place) => new Place(place, names));
  await Promise.all(places.map(async (place) => place.start()));

  const created: string[] = [];
  let isOver = false;
  const creating = (async () => {
    while (!isOver) {
      const number = created.length;
      const name = number % 5 === 4 ? `many-${number}` : `gang-${number}`;
      const retries = number % 5 === 2 ? 1 : 0;
      suite.fates.set(name, ({ attempt }) => ({ afterMs: 500, exitCode: attempt < retries ? 1 : 0 }));
      [0, 1, 2].forEach((index) => suite.fates.set(`${name}-${index}`, () => ({ afterMs: 300, exitCode: 0 })));
      await suite.jobs.create(name, number % 5 === 4
        ? { replicas: 1, array: { count: 3, parallelism: 2 } }
        : { replicas: 2, runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 1 } } });
      created.push(name);
      await pause(random.between(200, 800));
    }
  })();

  for (let blow = 0; blow < BLOWS; blow++) {
    await pause(random.between(500, 4_000));
    const { operator } = places[Math.floor(random.next() * REPLICAS)];
    if (!operator.child.running) {
      continue;
    }
    if (random.next() < 0.5) {
      await operator.kill();
    } else {
      // For a moment, or for longer than the lease.
      process.kill(operator.child.pid!, 'SIGSTOP');
      await pause(random.between(100, 8_000));
      process.kill(operator.child.pid!, 'SIGCONT');
    }
  }
  isOver = true;
  await creating;
  for (const name of created) {
    const { status } = await suite.jobs.until(name, 'finished', ({ completionTime }) => completionTime !== undefined);
    expect({ name, phase: status?.phase }).toEqual({ name, phase: 'Completed' });
  }
  await eventually('each replica to hold its part', async () => {
    const leases = await suite.api.list('leases', suite.installation.namespace);
    const names = Array.from({ length: SHARDS }, (_, shard) => operatorShardLease(shard));
    const holders = names.map((name) => leases.find(({ metadata }) => metadata.name === name)?.spec.holderIdentity as string | undefined);
    return new Set(holders).size === REPLICAS && holders.every((holder) => holders.filter((each) => each === holder).length === SHARDS / REPLICAS);
  });
  places.forEach((place) => place.close());
  await Promise.all(places.map(async ({ operator }) => operator.kill()));

  const copies = await suite.api.list('mltrainingjobs', suite.namespace, ARRAY_LABEL);
  const parents = new Map(copies.map(({ metadata }) => [metadata.name, (metadata.labels as { [label: string]: string })[ARRAY_LABEL]]));
  const writes = writesOf(names, [...created, ...parents.keys()], parents);
  const holders = new Map<number, string>();
  const handovers = { leases: 0 };
  const wrong: string[] = [];
  for (const { shard, by, at, what, isLease } of writes) {
    if (isLease) {
      handovers.leases += holders.has(shard) && holders.get(shard) !== by ? 1 : 0;
      holders.set(shard, by);
    } else if (holders.get(shard) !== by) {
      wrong.push(`${at} ${by}: ${what}, while ${holders.get(shard)} holds shard ${shard}`);
    }
  }
  expect(wrong).toEqual([]);
  process.stdout.write(`${created.length + parents.size} jobs, ${writes.length} writes by ${names.size} processes, ${handovers.leases} shards changed hands\n`);
  // Shards that stay where they are prove nothing.
  expect(handovers.leases).toBeGreaterThan(BLOWS / 3);
}, PATIENCE_MS);
