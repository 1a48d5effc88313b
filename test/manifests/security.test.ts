import { constructJobObjects } from '../../src/manifests/job/job-objects';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import type { SecuritySpec } from '../../src/model/training-job/security';
import { FRAMEWORK_NAMES, type PodTemplateSpec, type TrainingJobSpec } from '../../src/model/training-job/spec';
import { shortForm } from '../model/jobs';

function policyOf(security: SecuritySpec | undefined, fields: Partial<TrainingJobSpec> = {}) {
  const { networkPolicies } = constructJobObjects({
    job: resolveTrainingJob('net', shortForm('pytorch', 2, { security, ...fields })), namespace: 'ml', operatorNamespace: 'operators',
  });
  return networkPolicies[0];
}

describe('the firewall of a job', () => {
  test('is there only when it is asked for', () => {
    expect([undefined, {}, { networkPolicy: { enabled: false } }].map((security) => policyOf(security))).toEqual([undefined, undefined, undefined]);
  });

  test('lets in the pods of the job, and nobody else', () => {
    expect(policyOf({ networkPolicy: {} })).toMatchObject({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'net', namespace: 'ml', labels: { job: 'net' } },
      spec: {
        podSelector: { matchLabels: { job: 'net' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: { job: 'net' } } }] }],
      },
    });
  });

  test('lets in namespaces that are named', () => {
    expect(policyOf({ networkPolicy: { fromNamespaces: ['monitoring'] } })!.spec.ingress).toEqual([{
      from: [
        { podSelector: { matchLabels: { job: 'net' } } },
        { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['monitoring'] }] } },
      ],
    }]);
  });

  test('that limits egress leaves peers, DNS, HTTPS, the progress endpoint of its own operator, and what is named', () => {
    const { policyTypes, egress } = policyOf({ networkPolicy: { egress: 'Limited', toCidrs: ['10.8.0.0/16'] } })!.spec;
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(egress).toEqual([
      { to: [{ podSelector: { matchLabels: { job: 'net' } } }] },
      { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
      { ports: [{ port: 443, protocol: 'TCP' }] },
      {
        to: [{
          namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['operators'] }] },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'trainyard-operator' } },
        }],
        ports: [{ port: 10443, protocol: 'TCP' }],
      },
      { to: [{ ipBlock: { cidr: '10.8.0.0/16' } }] },
    ]);
  });

  test('that limits egress has no rule without addresses, which would open all of them, and none for an operator that takes no reports', () => {
    const { networkPolicies } = constructJobObjects({
      job: resolveTrainingJob('net', shortForm('pytorch', 2, { security: { networkPolicy: { egress: 'Limited' } } })), namespace: 'ml',
    });
    expect(networkPolicies[0].spec.egress).toEqual([
      { to: [{ podSelector: { matchLabels: { job: 'net' } } }] },
      { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
      { ports: [{ port: 443, protocol: 'TCP' }] },
    ]);
  });

  const account = (spec: NonNullable<PodTemplateSpec['spec']>) => ({ spec });
  test.each<[string, Partial<TrainingJobSpec>, boolean]>([
    ['the job\'s template names a service account', { template: account({ serviceAccountName: 'trainer' }) }, true],
    ['a template names one by the old name', { template: account({ serviceAccount: 'trainer' }) }, true],
    ['a role\'s template does', { replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', template: account({ serviceAccountName: 'trainer' }) }] }, true],
    ['a helper\'s template does', { helpers: [{ name: 'eval', template: account({ serviceAccountName: 'trainer', containers: [{ name: 'training', image: 'i' }] }) }] }, true],
    ['no template names one', { template: account({ nodeSelector: { a: 'b' } }) }, false],
    ['the account is that of all pods of the namespace', { template: account({ serviceAccountName: 'default' }) }, false],
    ['its name is empty', { template: account({ serviceAccountName: '' }) }, false],
  ])('and is limited lets pods reach metadata servers if they have an identity: %s', (_, fields, isOpen) => {
    const { egress } = policyOf({ networkPolicy: { egress: 'Limited' } }, fields)!.spec as { egress: object[] };
    const servers = { to: ['169.254.169.254/32', '169.254.169.252/32'].map((cidr) => ({ ipBlock: { cidr } })) };
    expect(egress).toHaveLength(isOpen ? 5 : 4);
    expect(isOpen ? egress : [...egress, servers]).toContainEqual(servers);
  });
});

describe('restricted pods', () => {
  test.each(FRAMEWORK_NAMES)('of %s leave no container out', (framework) => {
    const job = resolveTrainingJob('net', shortForm(framework, 2, {
      security: { restricted: true, runAsUser: 1000, fsGroup: 2000 },
      template: { spec: { containers: [{ name: 'sidecar', image: 'sidecar', securityContext: { readOnlyRootFilesystem: true } }] } },
    }));
    for (const replica of job.replicas) {
      const { containers, initContainers = [], securityContext } = constructReplicaPod({ job, replica, attempt: 0, namespace: 'ml' }).spec!;
      expect(securityContext).toEqual({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of [...containers, ...initContainers]) {
        expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
      }
      expect(containers.find(({ name }) => name === 'sidecar')!.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
  });

  test('keep what the template says of users, and a capability that is allowed', () => {
    const job = resolveTrainingJob('net', shortForm('pytorch', 1, {
      security: { restricted: true, runAsUser: 1000 },
      template: { spec: { securityContext: { runAsUser: 5 }, containers: [{ name: 'training', securityContext: { capabilities: { add: ['NET_BIND_SERVICE'] } } }] } },
    }));
    const { containers, securityContext } = constructReplicaPod({ job, replica: job.replicas[0], attempt: 0, namespace: 'ml' }).spec!;
    expect(securityContext).toMatchObject({ runAsUser: 5, runAsNonRoot: true });
    expect(containers[0].securityContext).toEqual({ allowPrivilegeEscalation: false, capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } });
  });

  test('are not made of a job that does not ask for them', () => {
    const job = resolveTrainingJob('net', shortForm('pytorch', 1));
    expect(constructReplicaPod({ job, replica: job.replicas[0], attempt: 0, namespace: 'ml' }).spec!.containers[0]).not.toHaveProperty('securityContext');
  });
});
