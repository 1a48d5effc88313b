import { canonicalPodSpec, typedPodSpec, typedPodTemplate } from '../../../src/manifests/pod/typed-pod';
import type { PodSpec } from '../../../src/manifests/kubernetes';

// Each expectation is what k8s.io/api v0.36 writes after it has read the same.
describe('a pod as Go\'s types write it', () => {
  const pod = (fields: object): PodSpec => ({ containers: [], ...fields }) as unknown as PodSpec;
  const typed = (fields: object) => typedPodSpec(pod(fields));

  test('has resources in each container', () => {
    expect(typed({ containers: [{ name: 'a' }, { name: 'b', resources: { limits: { cpu: '1' } } }], initContainers: [{ name: 'i' }] })).toEqual({
      containers: [{ name: 'a', resources: {} }, { name: 'b', resources: { limits: { cpu: '1' } } }], initContainers: [{ name: 'i', resources: {} }],
    });
    expect(canonicalPodSpec(pod({ containers: [{ name: 'a' }] }))).toEqual({ containers: [{ name: 'a' }] });
  });

  test('has canonical quantities, wherever there are any', () => {
    expect(typed({
      overhead: { cpu: '0.1' },
      containers: [{ name: 'a', resources: { requests: { cpu: 2, memory: '2048Mi' }, limits: { 'acme.com/x': 1000 } } }],
      volumes: [
        { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: '', resources: { requests: { storage: '0.5Ti' } } } } } },
      ],
    })).toEqual({
      overhead: { cpu: '100m' },
      containers: [{ name: 'a', resources: { requests: { cpu: '2', memory: '2Gi' }, limits: { 'acme.com/x': '1k' } } }],
      volumes: [
        { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: {}, spec: { storageClassName: '', resources: { requests: { storage: '512Gi' } } } } } },
      ],
    });
  });

  test('has no field that Go cannot tell from one that is not there', () => {
    expect(typed({
      hostNetwork: false, priorityClassName: '', tolerations: [{ key: 'a', operator: 'Exists', value: '' }],
      containers: [{
        name: 'a', tty: false, command: [], env: [{ name: 'EMPTY', value: '' }], volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: false }],
        ports: [{ containerPort: 1, hostPort: 0, name: '' }], readinessProbe: { initialDelaySeconds: 0, periodSeconds: 5 }, resources: {},
      }],
    })).toEqual({
      tolerations: [{ key: 'a', operator: 'Exists' }],
      containers: [{
        name: 'a', env: [{ name: 'EMPTY' }], volumeMounts: [{ name: 'v', mountPath: '/v' }], ports: [{ containerPort: 1 }], readinessProbe: { periodSeconds: 5 }, resources: {},
      }],
    });
  });

  test('keeps what is a pointer in Go, maps of texts, and words of commands', () => {
    const kept = {
      automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, nodeSelector: { pool: '' },
      containers: [{ name: 'a', args: [''], env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } }], securityContext: { privileged: false, runAsUser: 0 }, resources: {} }],
      volumes: [{ name: 'v', emptyDir: {} }, { name: 'c', configMap: { name: 'c', optional: false, defaultMode: 0 } }, { name: 'csi', csi: { driver: 'd', volumeAttributes: { a: '' } } }],
    };
    expect(typed(kept)).toEqual(kept);
  });

  test('says the divisor of a field that is resolved', () => {
    expect(typed({ containers: [{ name: 'a', env: [{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }], resources: {} }] }).containers[0].env)
      .toEqual([{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } }]);
  });

  test('is the same when it is written once more', () => {
    const once = typedPodTemplate({ metadata: {}, spec: pod({ containers: [{ name: 'a', env: [{ name: 'E', value: '' }], resources: { limits: { cpu: '0.5' } } }] }) });
    expect(typedPodTemplate(once)).toEqual(once);
  });
});
