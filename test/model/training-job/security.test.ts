import { job, jobWithRoles, testMistakes } from './mistakes';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';

const restricted = (spec: object) => job({ security: { restricted: true }, template: { spec } });

const withContext = (securityContext: object) => restricted({ containers: [{ name: 'training', securityContext }] });

describe('mistakes with security', () => {
  const AT = 'spec.template.spec.containers[0].securityContext';
  testMistakes([
    ['root in a restricted pod', job({ security: { restricted: true, runAsUser: 0 } }), 'spec.security.runAsUser', 0, ['is root', 'another user']],
    ['the node\'s network', restricted({ hostNetwork: true }), 'spec.template.spec.hostNetwork', true, ['restricted forbids']],
    ['a folder of the node', restricted({ volumes: [{ name: 'data', hostPath: { path: '/data' } }] }), 'spec.template.spec.volumes[0]', 'data', ['hostPath']],
    ['a port of the node', restricted({ containers: [{ name: 'training', ports: [{ containerPort: 1, hostPort: 1 }] }] }),
      'spec.template.spec.containers[0].ports', 'training', ['ports of the node']],
    ['a privileged container', withContext({ privileged: true }), `${AT}.privileged`, true, ['privileges of the node']],
    ['a gain of privileges', withContext({ allowPrivilegeEscalation: true }), `${AT}.allowPrivilegeEscalation`, true, ['gain privileges']],
    ['root in the template', withContext({ runAsUser: 0 }), `${AT}.runAsUser`, 0, ['is root']],
    ['root allowed in the template', withContext({ runAsNonRoot: false }), `${AT}.runAsNonRoot`, false, ['run as root']],
    ['a capability', withContext({ capabilities: { add: ['NET_BIND_SERVICE', 'IPC_LOCK'] } }), `${AT}.capabilities.add`, ['NET_BIND_SERVICE', 'IPC_LOCK'], ['NET_BIND_SERVICE']],
    ['no filter of system calls', withContext({ seccompProfile: { type: 'Unconfined' } }), `${AT}.seccompProfile.type`, 'Unconfined', ['system call']],
    ['more of /proc', withContext({ procMount: 'Unmasked' }), `${AT}.procMount`, 'Unmasked', ['/proc']],
    ['a role that asks for more', jobWithRoles([{ name: 'master' }, { name: 'worker', template: { spec: { hostPID: true } } }], { security: { restricted: true } }),
      'spec.roles[1].template.spec.hostPID', true, ['restricted forbids']],
    ['a range of addresses that is none', job({ security: { networkPolicy: { egress: 'Limited', toCidrs: ['10.8.0.0/33'] } } }),
      'spec.security.networkPolicy.toCidrs[0]', '10.8.0.0/33', ['10.8.0.0/16']],
    ['addresses where all may be reached', job({ security: { networkPolicy: { toCidrs: ['10.8.0.0/16'] } } }), 'spec.security.networkPolicy.toCidrs', ['10.8.0.0/16'],
      ['egress: Limited']],
  ]);
});

test.each([
  ['what restricted pods may have', restricted({
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [{ name: 'training', securityContext: { runAsUser: 1000, capabilities: { add: ['NET_BIND_SERVICE'] } } }],
  })],
  ['more than that where nothing is restricted', job({ security: { fsGroup: 1000 }, template: { spec: { hostNetwork: true } } })],
  ['addresses of both kinds', job({ security: { networkPolicy: { egress: 'Limited', toCidrs: ['10.8.0.0/16', '0.0.0.0/0', 'fd00::/8', '::/0'] } } })],
])('%s are accepted', (_what, spec) => {
  expect(validateTrainingJob('net', spec)).toEqual([]);
});
