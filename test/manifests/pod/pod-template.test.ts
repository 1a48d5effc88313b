import { mergeContainer, mergePodSpec, mergePodTemplates } from '../../../src/manifests/pod/pod-template';

describe('merging of pod templates', () => {
  const merge = (one: object, other: object) => mergePodTemplates([{ spec: { ...one } }, { spec: { ...other } }]).spec;

  test('containers with the same name are one, and others stand beside it in order', () => {
    const first = { containers: [{ name: 'a', image: 'a1', tty: true }, { name: 'b', image: 'b1' }] };
    const second = { containers: [{ name: 'c', image: 'c1' }, { name: 'a', image: 'a2' }] };
    expect(merge(first, second).containers).toEqual([
      { name: 'a', image: 'a2', tty: true }, { name: 'b', image: 'b1' }, { name: 'c', image: 'c1' },
    ]);
  });

  test('init containers too', () => {
    expect(merge({ initContainers: [{ name: 'a', image: '1' }] }, { initContainers: [{ name: 'a', command: ['x'] }] }).initContainers)
      .toEqual([{ name: 'a', image: '1', command: ['x'] }]);
  });

  test('a volume and a variable are replaced as a whole, because they are one of several kinds', () => {
    expect(merge({ volumes: [{ name: 'v', emptyDir: {} }] }, { volumes: [{ name: 'v', nfs: { server: 's', path: '/' } }] }).volumes)
      .toEqual([{ name: 'v', nfs: { server: 's', path: '/' } }]);
    const container = mergeContainer(
      { name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y', value: '2' }] },
      { env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    );
    expect(container.env).toEqual([{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, { name: 'Y', value: '2' }]);
  });

  test('mounts are told apart by their path, ports by number and protocol', () => {
    const merged = mergeContainer(
      {
        name: 'a',
        volumeMounts: [{ name: 'one', mountPath: '/data' }, { name: 'one', mountPath: '/more' }],
        ports: [{ containerPort: 80, name: 'web' }, { containerPort: 53, protocol: 'UDP' }],
      },
      {
        volumeMounts: [{ name: 'two', mountPath: '/data', readOnly: true }],
        ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }, { containerPort: 53 }],
      },
    );
    expect(merged.volumeMounts).toEqual([{ name: 'two', mountPath: '/data', readOnly: true }, { name: 'one', mountPath: '/more' }]);
    expect(merged.ports).toEqual([{ containerPort: 80, protocol: 'TCP', name: 'http' }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }]);
  });

  test('tolerations, pull secrets and envFrom are joined, each once', () => {
    const spot = { key: 'spot', operator: 'Exists' };
    expect(merge({ tolerations: [spot], imagePullSecrets: [{ name: 'a' }] }, { tolerations: [{ key: 'gpu' }, spot], imagePullSecrets: [{ name: 'a' }] }))
      .toEqual({ tolerations: [spot, { key: 'gpu' }], imagePullSecrets: [{ name: 'a' }] });
    expect(mergeContainer({ name: 'a', envFrom: [{ secretRef: { name: 's' } }] }, { envFrom: [{ secretRef: { name: 's' } }, { secretRef: { name: 't' } }] }).envFrom)
      .toEqual([{ secretRef: { name: 's' } }, { secretRef: { name: 't' } }]);
  });

  test('topology spread constraints are told apart by their key', () => {
    const zone = (maxSkew: number) => ({ topologyKey: 'zone', maxSkew });
    expect(merge({ topologySpreadConstraints: [zone(1)] }, { topologySpreadConstraints: [zone(2), { topologyKey: 'host', maxSkew: 1 }] }).topologySpreadConstraints)
      .toEqual([zone(2), { topologyKey: 'host', maxSkew: 1 }]);
  });

  test('node selectors, security contexts, affinities and resources are merged key by key', () => {
    expect(merge(
      { nodeSelector: { a: '1', b: '1' }, securityContext: { fsGroup: 1, runAsUser: 1 }, affinity: { nodeAffinity: { x: 1 } } },
      { nodeSelector: { b: '2' }, securityContext: { runAsUser: 2 }, affinity: { podAffinity: { y: 1 } } },
    )).toEqual({
      nodeSelector: { a: '1', b: '2' },
      securityContext: { fsGroup: 1, runAsUser: 2 },
      affinity: { nodeAffinity: { x: 1 }, podAffinity: { y: 1 } },
    });
    expect(mergeContainer(
      { name: 'a', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } } },
      { resources: { limits: { cpu: '2' } } },
    ).resources).toEqual({ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } });
  });

  test('of everything else the later value wins, whole', () => {
    expect(merge({ priorityClassName: 'low', hostNetwork: true }, { priorityClassName: 'high' })).toEqual({ priorityClassName: 'high', hostNetwork: true });
    expect(mergeContainer({ name: 'a', livenessProbe: { httpGet: { port: 1 } } }, { livenessProbe: { exec: { command: ['x'] } } }).livenessProbe)
      .toEqual({ exec: { command: ['x'] } });
    expect(mergeContainer({ name: 'a', command: ['one', 'two'] }, { command: ['three'] }).command).toEqual(['three']);
  });

  test('an empty field of a template changes nothing', () => {
    expect(mergePodSpec({ containers: [{ name: 'a' }], nodeSelector: { a: '1' } }, { nodeSelector: undefined, volumes: null as never }))
      .toEqual({ containers: [{ name: 'a' }], nodeSelector: { a: '1' } });
  });

  test('labels and annotations are merged, the role\'s over the job\'s', () => {
    expect(mergePodTemplates([
      { metadata: { labels: { a: '1', b: '1' }, annotations: { x: '1' } } }, {}, { metadata: { labels: { b: '2' }, annotations: { y: '2' } } },
    ])).toEqual({ labels: { a: '1', b: '2' }, annotations: { x: '1', y: '2' }, spec: {} });
  });

  test('what is no list, or no object, passes through for the checks of the template to tell', () => {
    const wrong = { tolerations: 'all', volumes: [null], nodeSelector: 'gpu', containers: { name: 'a' }, toString: 1 } as never;

    expect(mergePodSpec({ containers: [{ name: 'a' }], tolerations: [{ key: 'a' }], volumes: [{ name: 'v' }], nodeSelector: { a: '1' } }, wrong)).toEqual(wrong);
    expect(mergeContainer({ name: 'a', resources: { limits: { cpu: '1' } } }, { resources: 'two' as never }).resources).toBe('two');
  });

  test('leaves what it merges as it was', () => {
    const first = { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] } };
    const second = { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] } };
    const copies = JSON.parse(JSON.stringify([first, second]));
    mergePodTemplates([first, second]);
    expect([first, second]).toEqual(copies);
  });
});
