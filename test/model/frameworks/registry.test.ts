import { frameworkContract, frameworkContracts } from '../../../src/model/frameworks/registry';
import { isDns1035Label } from '../../../src/model/names';
import { FRAMEWORK_NAMES } from '../../../src/model/training-job/spec';
import { resolved, shortForm } from '../jobs';

test('every framework has a contract of its name, in the order of the names', () => {
  expect(frameworkContracts().map((contract) => contract.name)).toEqual([...FRAMEWORK_NAMES]);
  for (const name of FRAMEWORK_NAMES) {
    expect(frameworkContract(name).name).toBe(name);
  }
});

test('no two frameworks are called the same', () => {
  const titles = frameworkContracts().map((contract) => contract.title);
  expect(new Set(titles).size).toBe(titles.length);
});

describe.each(FRAMEWORK_NAMES)('the contract of %s', (name) => {
  const contract = frameworkContract(name);

  test('names each role once, as part of a pod\'s name', () => {
    const names = contract.roles.map((role) => role.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((role) => !isDns1035Label(role))).toEqual([]);
  });

  test('has a short form of its own roles, in their order, that a replica is never lost in', () => {
    for (const replicas of [1, 2, 3, 10]) {
      const roles = contract.shortForm(replicas);
      const known = contract.roles.length > 0 ? contract.roles.map((role) => role.name) : ['worker'];
      const positions = roles.map((role) => known.indexOf(role.name));
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(positions).not.toContain(-1);
      expect(resolved(shortForm(name, replicas)).trainers).toBe(replicas);
    }
  });

  test('names ports that a container may have, and leaves the job\'s own port alone', () => {
    for (const port of contract.ports) {
      expect(port.name).toMatch(/^(?=.{1,15}$)[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(port.port).not.toBe(29500);
    }
  });
});
