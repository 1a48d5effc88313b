import { HOST_ACCESS, hostAccessOf, serviceAccountsOf } from '../../../src/model/policy/host-access';
import type { JsonRecord } from '../../../src/model/json-parts';
import { NODE_ACCESS } from '../../support/node-access';

test.each(NODE_ACCESS)('%s is seen in %j', (access, pod) => {
  expect(hostAccessOf([{}, pod as JsonRecord])).toEqual([access]);
});

test('a container for debugging is one like others', () => {
  expect(hostAccessOf([{ ephemeralContainers: [{ name: 'debug', securityContext: { privileged: true } }] }])).toEqual(['privileged']);
});

test('all that pods ask for is told in one order', () => {
  expect(hostAccessOf(NODE_ACCESS.map(([, pod]) => pod as JsonRecord).reverse())).toEqual([...HOST_ACCESS]);
});

test('a profile of AppArmor may stand in an annotation', () => {
  const name = 'container.apparmor.security.beta.kubernetes.io/training';
  expect([{ [name]: 'unconfined' }, { [name]: 'runtime/default' }, { other: 'unconfined' }, {}].map((annotations) => hostAccessOf([{}], [annotations])))
    .toEqual([['appArmorProfile'], [], [], []]);
});

test('a pod with the limits of the baseline standard asks for nothing', () => {
  expect(hostAccessOf([{
    hostNetwork: false,
    securityContext: { seccompProfile: { type: 'Localhost' }, seLinuxOptions: { type: 'container_t', level: 's0' }, sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] },
    containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 0 }], securityContext: { privileged: false, procMount: 'Default', capabilities: { add: ['CHOWN'], drop: ['ALL'] } } }],
    volumes: [{ name: 'v', emptyDir: {} }],
  }, { securityContext: null, containers: [{ securityContext: null }] }])).toEqual([]);
});

test('accounts are those that pods name, by either field', () => {
  expect(serviceAccountsOf([{ serviceAccountName: 'a' }, { serviceAccount: 'b', serviceAccountName: 'default' }, { serviceAccount: '' }, {}])).toEqual(['a', 'b']);
});
