import fc from 'fast-check';
import {
  DNS_1035_LABEL_PATTERN, JOB_NAME_MAX_LENGTH, coordinatorServiceName, isDns1035Label, mpiConfigMapName, mpiSecretName, peerServiceName,
  podName, validateJobName,
} from '../../src/model/names';

const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/);

describe('names of a job\'s objects', () => {
  test('are the blog\'s for its master and workers', () => {
    expect(podName('net', 'master', 0, true)).toBe('net-master');
    expect(podName('net', 'worker', 0, false)).toBe('net-worker-0');
    expect(coordinatorServiceName('net', 'master')).toBe('net-master');
  });

  test('are the job\'s own for the service of all replicas, and say what the others are for', () => {
    expect(peerServiceName('net')).toBe('net');
    expect(mpiConfigMapName('net')).toBe('net-mpi-config');
    expect(mpiSecretName('net')).toBe('net-mpi-ssh-auth');
    expect(mpiSecretName('net', 'f00')).toBe('net-mpi-ssh-auth-f00');
  });

  test('are different for different replicas of one job', () => {
    fc.assert(fc.property(label, fc.uniqueArray(label, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 12 }), (job, roles, count) => {
      const pods = roles.flatMap((role) => Array.from({ length: count }, (_, index) => podName(job, role, index, false)));
      expect(new Set(pods).size).toBe(pods.length);
    }));
  });
});

describe('a DNS-1035 label', () => {
  test.each(['a', 'net', 'a-1', 'a--b', 'x'.repeat(63)])('can be %s', (name) => {
    expect(isDns1035Label(name)).toBe(true);
  });

  test.each(['', '1a', '-a', 'a-', 'A', 'a_b', 'a.b', 'a b', 'ä', 'a\n', 'x'.repeat(64)])('cannot be %j', (name) => {
    expect(isDns1035Label(name)).toBe(false);
  });

  test('has an anchored pattern, so that a schema can use it as it is', () => {
    expect(DNS_1035_LABEL_PATTERN).toMatch(/^\^.*\$$/);
  });
});

describe('checking a job\'s name', () => {
  const service = (name: string) => ({ name: `${name}-master`, what: 'service' });

  test('accepts the longest that the CRD lets pass', () => {
    const name = 'x'.repeat(JOB_NAME_MAX_LENGTH);
    expect(service(name).name).toHaveLength(63);
    expect(validateJobName(name, service(name))).toEqual([]);
  });

  test('says by how much a name is too long, and what would break', () => {
    const name = 'x'.repeat(60);
    const [violation] = validateJobName(name, service(name));
    expect(violation).toMatchObject({ path: 'metadata.name', value: name });
    expect(violation.message).toContain(`the service would be '${name}-master' with 67 characters`);
    expect(violation.message).toContain('Use at most 56 characters.');
  });

  test('asks for a shorter role when no name of the job would help', () => {
    const [violation] = validateJobName('ab', { name: `ab-${'r'.repeat(63)}-0`, what: 'host name of the last role' });
    expect(violation.message).toContain('Shorten the name of the role.');
  });

  test('names the characters that a name may have', () => {
    expect(validateJobName('Net_1', service('Net_1'))[0]).toMatchObject({ path: 'metadata.name', value: 'Net_1', message: expect.stringContaining('lower-case letters') });
  });

  test('gives a limit that holds: a name of that length passes, one character more does not', () => {
    fc.assert(fc.property(fc.integer({ min: 40, max: 80 }), fc.constantFrom('-master', '-worker-9', '-parameter-server-1234'), (length, suffix) => {
      const check = (chars: number) => validateJobName('x'.repeat(chars), { name: 'x'.repeat(chars) + suffix, what: 'pod' });
      const limit = /Use at most (\d+) characters/.exec(check(length)[0]?.message ?? '');
      if (limit) {
        expect(check(Number(limit[1]))).toEqual([]);
        expect(check(Number(limit[1]) + 1)).toHaveLength(1);
      } else {
        expect(length + suffix.length).toBeLessThanOrEqual(63);
      }
    }));
  });
});
