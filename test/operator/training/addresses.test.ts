import { addressBooks } from '../../../src/operator/training/addresses';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';

const job = resolveTrainingJob('net', { framework: 'tensorflow', image: 'i', replicas: 50 });
const identity = { name: 'net', uid: 'uid-1' };

/** Every port of every replica, asked for in the order of `replicas`. */
function ports(uid: string, attempt: number, replicas = job.replicas): Map<string, number> {
  const book = addressBooks('loopback')({ name: 'net', uid }, attempt);
  return new Map(replicas.flatMap((replica) => ['master', 'tfjob-port'].map((name): [string, number] => (
    [`${replica.podName}/${name}`, book.port(replica, name, 2222)]))));
}

describe('addresses of pods', () => {
  test('are host names with the ports that the contract asks for', () => {
    const book = addressBooks('pods')(identity, 3);
    expect([book.host(job.replicas[0]), book.port(job.replicas[0], 'master', 29500)]).toEqual(['net-master', 29500]);
    expect([book.host(job.replicas[1]), book.port(job.replicas[1], 'tfjob-port', 2222)]).toEqual(['net-worker-0.net', 2222]);
  });
});

describe('addresses on one machine', () => {
  test('give every replica 127.0.0.1 and a port of its own for each name', () => {
    expect(addressBooks('loopback')(identity, 0).host(job.replicas[7])).toBe('127.0.0.1');
    const all = [...ports('uid-1', 0).values()];
    expect(new Set(all).size).toBe(100);
    all.forEach((port) => {
      expect(port).toBeGreaterThanOrEqual(18_000);
      expect(port).toBeLessThan(32_000);
    });
  });

  test('are the same for an operator that starts again, and for a replica that is asked for alone', () => {
    const first = ports('uid-1', 0);
    expect(ports('uid-1', 0)).toEqual(first);
    ports('uid-1', 0, [job.replicas[30]]).forEach((port, name) => expect(port).toBe(first.get(name)));
  });

  test('differ between attempts and between jobs', () => {
    const first = ports('uid-1', 0).get('net-master/master');
    expect(ports('uid-1', 1).get('net-master/master')).not.toBe(first);
    expect(ports('uid-2', 0).get('net-master/master')).not.toBe(first);
  });
});
