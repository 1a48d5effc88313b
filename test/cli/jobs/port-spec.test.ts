import type { PodObject } from '../../../src/cli/jobs/objects';
import { parsePortSpec, resolvePort } from '../../../src/cli/jobs/streams/port-spec';

test.each([
  ['8265', { local: undefined, remote: 8265 }],
  ['8080:80', { local: 8080, remote: 80 }],
  [':80', { local: 0, remote: 80 }],
  ['tensorboard', { local: undefined, remote: 'tensorboard' }],
  ['6006:tensorboard', { local: 6006, remote: 'tensorboard' }],
  [':web-1', { local: 0, remote: 'web-1' }],
])('%s', (text, spec) => {
  expect(parsePortSpec(text)).toEqual(spec);
});

test.each(['', ':', '80:', '1:2:3', '0', '65536', '99999', 'a:80', '0:80', '-1', 'Tensorboard', 'a_b', 'name-of-more-than-15', ' 80'])('%j is refused', (text) => {
  expect(() => parsePortSpec(text)).toThrow(/^Port '.*': .* Write REMOTE, LOCAL:REMOTE, or :REMOTE/);
});

const pod = {
  metadata: { name: 'head' },
  spec: {
    containers: [{ name: 'a', ports: [{ name: 'dashboard', containerPort: 8265 }, { containerPort: 1 }] }],
    initContainers: [{ name: 'b', ports: [{ name: 'tensorboard', containerPort: 6006 }] }],
  },
} as PodObject;

test('names are those of container ports, sidecars among them', () => {
  expect(resolvePort({ remote: 'dashboard' }, pod)).toEqual({ local: 8265, remote: 8265 });
  expect(resolvePort({ local: 0, remote: 'tensorboard' }, pod)).toEqual({ local: 0, remote: 6006 });
  expect(resolvePort({ remote: 80 }, pod)).toEqual({ local: 80, remote: 80 });
  expect(() => resolvePort({ remote: 'dashbord' }, pod)).toThrow(
    "Port 'dashbord': no container of pod head has a port of this name. It has dashboard (8265), tensorboard (6006). Did you mean 'dashboard'?");
  expect(() => resolvePort({ remote: 'web' }, {} as PodObject)).toThrow('Its containers name no ports. Use a number.');
});
