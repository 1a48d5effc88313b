import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { ApiObject, App, Chart, Duration, JsonPatch, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { TolerationEffect } from '../../src/constructs/training-job';
import { LogLevel, TrainingOperator, type TrainingOperatorProps } from '../../src/constructs/training-operator';
import { readOperatorBundle } from '../../src/constructs/training-operator/operator-bundle';
import { CONFIG_MAP_CONTENT_MAX_BYTES } from '../../src/manifests/config-map-parts';
import { constructOperatorCode } from '../../src/manifests/operator/deployment';
import { LAST_APPLIED_MAX_BYTES, lastAppliedBytes } from '../support/last-applied';

const BUNDLE = Buffer.from('a bundle');

// Fixed bytes instead of the real bundle, so that the snapshot does not change with each line of the operator.
let bundle: Uint8Array = BUNDLE;
jest.mock('../../src/constructs/training-operator/operator-bundle', () => {
  const actual = jest.requireActual('../../src/constructs/training-operator/operator-bundle');
  return { ...actual, readOperatorBundle: (file?: string) => (file === undefined ? bundle : actual.readOperatorBundle(file)) };
});
const { readOperatorBundle: readShippedBundle } = jest.requireActual<{ readOperatorBundle(): Uint8Array }>('../../src/constructs/training-operator/operator-bundle');

beforeEach(() => {
  bundle = BUNDLE;
});

type Manifests = ReturnType<typeof Testing.synth>;

interface Synthesized {
  readonly all: Manifests;
  /** The only object of a kind. */
  one(kind: string): Manifests[number];
}

/** Kinds without a namespace, of which an operator of namespaces may install none. */
const OUTSIDE_OF_NAMESPACES = ['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'FlowSchema', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

function synth(props: TrainingOperatorProps = {}, chart = Testing.chart()): Synthesized {
  new TrainingOperator(chart, 'Operator', props);
  const all = Testing.synth(chart);
  return {
    all,
    one: (kind) => {
      const found = all.filter((object) => object.kind === kind);
      expect(found).toHaveLength(1);
      return found[0];
    },
  };
}

/** Pods of any namespace report their progress. */
const PROGRESS_RULE = { ports: [{ port: 10443, protocol: 'TCP' }] };

const containerOf = (manifests: Synthesized) => manifests.one('Deployment').spec.template.spec.containers[0];
const variablesOf = (manifests: Synthesized) => Object.fromEntries(
  containerOf(manifests).env.map((entry: { name: string; value?: string }) => [entry.name, entry.value ?? entry]));

describe('a TrainingOperator by default', () => {
  test('is everything that a cluster needs, in an order in which it can be applied', () => {
    expect(synth().all.map((object) => `${object.kind} ${object.metadata.namespace ?? '-'}/${object.metadata.name}`)).toEqual([
      'Namespace -/trainyard-system',
      'CustomResourceDefinition -/mltrainingjobs.ml.collabnix.io',
      'ServiceAccount trainyard-system/trainyard-operator',
      'ClusterRole -/trainyard-operator',
      'ClusterRoleBinding -/trainyard-operator',
      'ClusterRole -/trainyard-operator-nodes',
      'ClusterRoleBinding -/trainyard-operator-nodes',
      'Role trainyard-system/trainyard-operator-leader-election',
      'RoleBinding trainyard-system/trainyard-operator-leader-election',
      'Role trainyard-system/trainyard-operator-progress-tls',
      'RoleBinding trainyard-system/trainyard-operator-progress-tls',
      'ClusterRole -/trainyard-edit',
      'ClusterRole -/trainyard-view',
      'FlowSchema -/trainyard-operator-leader-election',
      'ValidatingAdmissionPolicy -/trainyard-job-creators',
      'ValidatingAdmissionPolicyBinding -/trainyard-job-creators',
      expect.stringMatching(/^ConfigMap trainyard-system\/trainyard-operator-code-[0-9a-f]{12}-0$/),
      'Deployment trainyard-system/trainyard-operator',
      'Service trainyard-system/trainyard-operator',
      'NetworkPolicy trainyard-system/trainyard-operator',
      'PodDisruptionBudget trainyard-system/trainyard-operator',
    ]);
  });

  test.each<[string, TrainingOperatorProps, object[]]>([
    ['reports of progress alone', {}, [PROGRESS_RULE]],
    ['nobody without reports', { progressEndpoint: false }, []],
    ['whoever scrapes where monitoring is installed: nobody knows from where', { monitoring: true }, [{ ports: [{ port: 8081, protocol: 'TCP' }] }, PROGRESS_RULE]],
    ['those who may read its metrics', { monitoring: true, metricsNamespaces: ['monitoring'] }, [{
      from: [{ namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['monitoring'] }] } }],
      ports: [{ port: 8081, protocol: 'TCP' }],
    }, PROGRESS_RULE]],
    ['no reader of metrics where the list of them is empty', { monitoring: true, metricsNamespaces: [] }, [PROGRESS_RULE]],
  ])('has a NetworkPolicy that lets in %s', (_, props, ingress) => {
    const manifests = synth(props);
    const { spec } = manifests.one('NetworkPolicy');
    expect(spec).toEqual({ podSelector: manifests.one('Deployment').spec.selector, policyTypes: ['Ingress'], ingress });
  });

  test('has no NetworkPolicy where it is switched off, and then nobody to name in it', () => {
    expect(synth({ networkPolicy: false }).all.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
    expect(() => synth({ networkPolicy: false, metricsNamespaces: ['monitoring'] })).toThrow('metricsNamespaces applies only with a NetworkPolicy');
    expect(() => synth({ metricsNamespaces: ['Monitoring'] })).toThrow("'Monitoring' is not a valid namespace");
  });

  test('exposes what it resolved', () => {
    const operator = new TrainingOperator(Testing.chart(), 'Operator');
    expect(operator.namespace).toBe('trainyard-system');
    expect(operator.serviceAccountName).toBe('trainyard-operator');
    expect(operator.replicas).toBe(2);
    expect(operator.image).toMatch(/^docker\.io\/library\/node:22\.[0-9.]+-alpine/);
    expect(operator.watchNamespaces).toEqual([]);
    expect(operator.deployment.kind).toBe('Deployment');
  });

  test('keeps the restricted Pod Security Standard', () => {
    const manifests = synth();
    expect(manifests.one('Namespace').metadata.labels).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pod = manifests.one('Deployment').spec.template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] },
    });
    expect(pod.volumes.map((volume: object) => Object.keys(volume).find((key) => key !== 'name'))).toEqual(['emptyDir', 'projected']);
  });

  test('is probed on the port that it is told to listen on', () => {
    const container = containerOf(synth());
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8081 }, { name: 'progress', containerPort: 10443 }]);
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    expect(variablesOf(synth())).toEqual({
      POD_NAME: { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      POD_NAMESPACE: { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      LOG_LEVEL: 'info',
      HEALTH_PORT: '8081',
      LEADER_ELECT: 'true',
      PROGRESS_URL: 'https://trainyard-operator.trainyard-system.svc:10443',
      PROGRESS_PORT: '10443',
    });
  });

  test('takes reports of progress behind its Service, at the address that pods are told', () => {
    expect(synth().one('Service').spec.ports).toEqual([
      { name: 'http', port: 8081, targetPort: 'http' }, { name: 'progress', port: 10443, targetPort: 'progress' },
    ]);
    expect(variablesOf(synth({ namespace: 'ml' })).PROGRESS_URL).toBe('https://trainyard-operator.ml.svc:10443');
  });

  test('can be had without reports of progress, and then without their port, variables and rights', () => {
    const manifests = synth({ progressEndpoint: false });
    expect(containerOf(manifests).ports).toEqual([{ name: 'http', containerPort: 8081 }]);
    expect(Object.keys(variablesOf(manifests)).filter((name) => name.startsWith('PROGRESS'))).toEqual([]);
    expect(manifests.one('Service').spec.ports).toHaveLength(1);
    expect(manifests.all.filter(({ metadata }) => metadata.name.endsWith('-progress-tls'))).toEqual([]);
  });

  test('selects its own pods with service and budget, and lets one of them go at a time', () => {
    const manifests = synth();
    const { selector, template, replicas } = manifests.one('Deployment').spec;
    expect(replicas).toBe(2);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(manifests.one('Service').spec.selector).toEqual(selector.matchLabels);
    expect(manifests.one('PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector });
  });

  test('gets no wildcard, no write to a spec, and no look at secrets', () => {
    const rules = synth().all.filter((object) => object.metadata.name.startsWith('trainyard-operator') && object.rules)
      .flatMap((role) => role.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.toContain('*');
    }
    const verbs = (resource: string) => rules.filter((rule) => rule.resources.includes(resource)).flatMap((rule) => rule.verbs);
    expect(verbs('mltrainingjobs')).toEqual(['get', 'list', 'watch', 'create', 'patch', 'delete']);
    expect(verbs('secrets')).toEqual(['create', 'create', 'get', 'update']);
    // Of those it may read and change one, with its own certificates.
    expect(rules.filter((rule) => rule.resources.includes('secrets') && rule.verbs.join() !== 'create').map((rule) => rule.resourceNames))
      .toEqual([['trainyard-operator-progress-tls']]);
  });

  test('may touch one lease only, beside creating it', () => {
    const [role] = synth().all.filter(({ kind }) => kind === 'Role');
    expect(role.rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'], resourceNames: ['trainyard-operator'] },
    ]);
  });

  test('with shards may take and renew the Lease of each of them too, and mark its own, by name', () => {
    const manifests = synth({ shards: 3 });
    const [role] = manifests.all.filter(({ kind }) => kind === 'Role');
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    expect(role.rules).toEqual([
      { ...leases, verbs: ['create'] },
      {
        ...leases, verbs: ['get', 'update'],
        resourceNames: ['trainyard-operator', 'trainyard-operator-shard-0', 'trainyard-operator-shard-1', 'trainyard-operator-shard-2'],
      },
      { ...leases, verbs: ['patch'], resourceNames: ['trainyard-operator'] },
    ]);
    expect(manifests.one('FlowSchema').spec.rules[0].resourceRules[0].verbs).toEqual(['get', 'create', 'update', 'patch']);
    expect(containerOf(manifests).env).toContainEqual({ name: 'SHARDS', value: '3' });
    expect(manifests.one('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
    expect(containerOf(synth()).env.map(({ name }: { name: string }) => name)).not.toContain('SHARDS');
  });

  test('has places of its own in the API server for the requests about its lease, and for no others', () => {
    const manifests = synth({ namespace: 'ml' });
    const [role] = manifests.all.filter(({ metadata, kind }) => kind === 'Role' && metadata.name.endsWith('-leader-election'));
    const { priorityLevelConfiguration, rules: [{ subjects, resourceRules }] } = manifests.one('FlowSchema').spec;
    expect(priorityLevelConfiguration).toEqual({ name: 'leader-election' });
    expect(subjects).toEqual([{ kind: 'ServiceAccount', serviceAccount: { name: 'trainyard-operator', namespace: 'ml' } }]);
    const allowed = [...new Set(role.rules.flatMap(({ verbs }: { verbs: string[] }) => verbs))].sort();
    expect(resourceRules.map(({ verbs, ...rule }: { verbs: string[] }) => ({ ...rule, verbs: [...verbs].sort() })))
      .toEqual([{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['ml'], verbs: allowed }]);
  });

  test('lets people with Kubernetes\' own edit and view roles work with jobs', () => {
    const [edit, view] = synth().all.filter((object) => /^trainyard-(edit|view)$/.test(object.metadata.name));
    expect(edit.metadata.labels).toEqual({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' });
    expect(edit.rules[0]).toMatchObject({ resources: ['mltrainingjobs'], verbs: expect.arrayContaining(['create', 'delete']) });
    expect(view.metadata.labels).toEqual({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' });
    expect(view.rules[0].verbs).toEqual(['get', 'list', 'watch']);
  });

  test('has not changed', () => {
    expect(synth().all.filter((object) => object.kind !== 'CustomResourceDefinition')).toMatchSnapshot();
  });
});

/** Runs the bootstrap of ConfigMaps. Their files are in one folder, as a volume shows them: links to the files of the current folder. */
function startedFrom(configMaps: readonly object[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'trainyard-'));
  mkdirSync(path.join(folder, '..current'));
  for (const { data = {}, binaryData = {} } of configMaps as readonly { data?: Record<string, string>; binaryData?: Record<string, string> }[]) {
    const files = [
      ...Object.entries(data).map(([key, text]) => [key, text.replaceAll('/tmp/', `${folder}/`)] as const),
      ...Object.entries(binaryData).map(([key, base64]) => [key, Buffer.from(base64, 'base64')] as const),
    ];
    for (const [key, content] of files) {
      writeFileSync(path.join(folder, '..current', key), content);
      symlinkSync(path.join('..current', key), path.join(folder, key));
    }
  }
  const env = { PATH: process.env.PATH, HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'bootstrap.mjs')], { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  return { status, stdout, stderr };
}

describe('the code of a TrainingOperator', () => {
  test('is in ConfigMaps that plain `kubectl apply` takes, and that the container sees in one folder', () => {
    bundle = randomBytes(2 * CONFIG_MAP_CONTENT_MAX_BYTES + 1);
    const manifests = synth();
    const configMaps = manifests.all.filter(({ kind }) => kind === 'ConfigMap');
    const { spec: { template } } = manifests.one('Deployment');
    const hash = template.metadata.annotations['ml.collabnix.io/operator-code'];
    const keysOf = ({ data, binaryData }: Manifests[number]) => Object.keys({ ...data, ...binaryData });
    const shown = configMaps.map((configMap) => [configMap.metadata.name, configMap.immutable, ...keysOf(configMap)]);
    expect(shown).toEqual([
      [`trainyard-operator-code-${hash}-0`, true, 'bootstrap.mjs', 'operator.mjs.br.0'],
      [`trainyard-operator-code-${hash}-1`, true, 'operator.mjs.br.1'],
      [`trainyard-operator-code-${hash}-2`, true, 'operator.mjs.br.2'],
    ]);
    expect(Math.max(...configMaps.map(lastAppliedBytes))).toBeLessThan(LAST_APPLIED_MAX_BYTES);
    expect(template.spec.volumes).toContainEqual({
      name: 'code', projected: { sources: configMaps.map(({ metadata: { name } }) => ({ configMap: { name } })) },
    });
    expect(containerOf(manifests).command).toEqual(['node', '--max-semi-space-size=8', '/opt/trainyard/bootstrap.mjs']);
    expect(containerOf(manifests).volumeMounts).toContainEqual({ name: 'code', mountPath: '/opt/trainyard', readOnly: true });
  });

  test.each([1, 2, 12])('is joined, unpacked and started by the bootstrap next to its parts, of which there are %i', (parts) => {
    // `require` and `import.meta.url` are what the real bundle starts with. Stored bytes: random hexadecimal digits compress to a half.
    const program = 'import { createRequire } from \'node:module\'; const require = createRequire(import.meta.url);'
      + 'console.log(require(\'node:path\').basename(import.meta.url));';
    const filler = randomBytes((parts - 1) * CONFIG_MAP_CONTENT_MAX_BYTES + 1024).toString('hex');
    const compressed = brotliCompressSync(`${program}//${filler}`, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    const { configMaps } = constructOperatorCode(compressed, 'x');
    expect(configMaps).toHaveLength(parts);
    expect(startedFrom(configMaps)).toEqual({ status: 0, stdout: 'operator.mjs\n', stderr: '' });
  });

  test('ends the container with the name of a part that is missing', () => {
    const { configMaps } = constructOperatorCode(randomBytes(CONFIG_MAP_CONTENT_MAX_BYTES + 1), 'x');
    expect(startedFrom(configMaps.slice(0, 1))).toMatchObject({ status: 1, stderr: expect.stringMatching(/no such file.*operator\.mjs\.br\.1/) });
  });

  test('rolls the Deployment when it changes, and only then', () => {
    const before = synth();
    const same = synth();
    bundle = Buffer.from('another bundle');
    const after = synth();
    const hashOf = (manifests: Synthesized) => manifests.one('Deployment').spec.template.metadata.annotations['ml.collabnix.io/operator-code'];
    expect(hashOf(same)).toBe(hashOf(before));
    expect(hashOf(after)).not.toBe(hashOf(before));
    expect(after.one('ConfigMap').metadata.name).not.toBe(before.one('ConfigMap').metadata.name);
    expect(after.one('ConfigMap').metadata.name).toContain(hashOf(after));
  });

  test('may be in an image instead', () => {
    const manifests = synth({ image: 'registry.example/operator:1' });
    expect(manifests.all.some((object) => object.kind === 'ConfigMap')).toBe(false);
    expect(containerOf(manifests).image).toBe('registry.example/operator:1');
    expect(containerOf(manifests).command).toBeUndefined();
    expect(manifests.one('Deployment').spec.template.spec.volumes.map((volume: { name: string }) => volume.name)).toEqual(['scratch']);
    expect(manifests.one('Deployment').spec.template.metadata.annotations).toBeUndefined();
  });

  test('runs on another Node.js image when asked to', () => {
    const manifests = synth({ nodeImage: 'registry.example/node:22' });
    expect(containerOf(manifests).image).toBe('registry.example/node:22');
    expect(manifests.one('ConfigMap')).toBeDefined();
  });

  test('that is missing is explained', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'trainyard-')), 'assets', 'operator.mjs.br');
    expect(() => readOperatorBundle(file)).toThrow(
      'TrainingOperator: the operator\'s code is missing: there is no assets/operator.mjs.br in the package. In a clone of the repository, run: '
      + 'npm run bundle',
    );
  });

  test('as it is shipped starts from its ConfigMaps, and is what npm run bundle wrote', () => {
    const real = readShippedBundle();
    expect(brotliDecompressSync(real).toString('utf8')).toContain('mltrainingjobs');
    const { status, stdout, stderr } = startedFrom(constructOperatorCode(real, 'trainyard-system').configMaps);
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 1, output: expect.stringMatching(/kubeconfig/i) });
  });
});

describe('the properties of a TrainingOperator', () => {
  test('choose the namespace, and whether it is created', () => {
    const manifests = synth({ namespace: 'ml-platform', createNamespace: false });
    expect(manifests.all.some((object) => object.kind === 'Namespace')).toBe(false);
    expect(manifests.one('Deployment').metadata.namespace).toBe('ml-platform');
    const subjects = [{ kind: 'ServiceAccount', name: 'trainyard-operator', namespace: 'ml-platform' }];
    const bindings = manifests.all.filter((object) => object.kind === 'ClusterRoleBinding');
    expect(bindings.map((binding) => binding.subjects)).toEqual(bindings.map(() => subjects));
    expect(bindings).not.toEqual([]);
    expect(synth({ namespace: 'ml-platform' }).one('Namespace').metadata.name).toBe('ml-platform');
  });

  test('leave the namespace to the chart, which objects without one do not get', () => {
    const manifests = synth({}, new Chart(Testing.app(), 'operator', { namespace: 'from-chart' }));
    expect(manifests.one('Deployment').metadata.namespace).toBe('from-chart');
    expect(manifests.one('Namespace').metadata).toMatchObject({ name: 'from-chart' });
    const outside = manifests.all.filter(({ kind }) => OUTSIDE_OF_NAMESPACES.includes(kind));
    expect(outside.length).toBeGreaterThan(5);
    expect(outside.filter((object) => 'namespace' in object.metadata)).toEqual([]);
  });

  test('leave the definition to others', () => {
    expect(synth({ installCrd: false }).all.some((object) => object.kind === 'CustomResourceDefinition')).toBe(false);
  });

  test('asks creators of jobs for their own rights unless told not to', () => {
    const policies = (props: TrainingOperatorProps) => synth(props).all.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy')).map(({ metadata }) => metadata);
    expect(policies({ namespace: 'ml' })).toEqual([{ name: 'trainyard-job-creators' }, { name: 'trainyard-job-creators' }]);
    expect(policies({ admissionPolicy: false })).toEqual([]);
  });

  test('leave nothing outside of namespaces, for an operator of namespaces whose definition others install', () => {
    const kinds = synth({ watchNamespaces: ['team-a'], installCrd: false, createNamespace: false }).all.map((object) => object.kind);
    expect(kinds.filter((kind) => OUTSIDE_OF_NAMESPACES.includes(kind))).toEqual([]);
    expect(kinds).toEqual(expect.arrayContaining(['Role', 'RoleBinding', 'Deployment']));
  });

  test('limit the operator and its permissions to namespaces', () => {
    const manifests = synth({ watchNamespaces: ['team-a', 'team-b'] });
    expect(variablesOf(manifests).WATCH_NAMESPACES).toBe('team-a,team-b');
    expect(manifests.all.filter((object) => object.kind === 'ClusterRoleBinding')).toEqual([]);
    expect(manifests.all.filter((object) => object.kind === 'RoleBinding').map((object) => object.metadata.namespace))
      .toEqual(['team-a', 'team-b', 'trainyard-system', 'trainyard-system']);
    expect(manifests.all.filter((object) => object.kind === 'ClusterRole').map((object) => object.metadata.name))
      .toEqual(['trainyard-edit', 'trainyard-view']);
  });

  test('size and place the pods', () => {
    const manifests = synth({
      replicas: 1,
      workers: 4,
      logLevel: LogLevel.DEBUG,
      resources: { cpu: kplus.Cpu.units(1) },
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', effect: TolerationEffect.NO_EXECUTE, evictAfter: Duration.minutes(1) }],
      priorityClassName: 'system-cluster-critical',
    });
    const { spec } = manifests.one('Deployment');
    expect(spec.replicas).toBe(1);
    expect(spec.template.spec).toMatchObject({
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
      priorityClassName: 'system-cluster-critical',
    });
    expect(containerOf(manifests).resources).toEqual({ requests: { cpu: '1', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } });
    expect(variablesOf(manifests)).toMatchObject({ LOG_LEVEL: 'debug', WORKERS: '4' });
  });
});

describe('the escape hatch of a TrainingOperator', () => {
  test('is its Deployment', () => {
    const chart = Testing.chart();
    const operator = new TrainingOperator(chart, 'Operator');
    ApiObject.of(operator).addJsonPatch(JsonPatch.replace('/spec/replicas', 3));
    expect(operator.node.defaultChild).toBe(operator.deployment);
    expect(Testing.synth(chart).find((object) => object.kind === 'Deployment').spec.replicas).toBe(3);
  });
});

describe('a TrainingOperator is refused', () => {
  test.each<[string, TrainingOperatorProps, string]>([
    ['with two kinds of image', { image: 'a', nodeImage: 'b' },
      'sets both \'image\' (a), which contains the operator\'s code, and \'nodeImage\' (b), which runs the code in ConfigMaps. Remove one of the two.'],
    ['with a namespace that cannot be', { namespace: 'ML' },
      '\'ML\' is not a valid namespace name: at most 63 lower-case letters, digits and \'-\', starting and ending with a letter or digit.'],
    ['with a namespace to watch that cannot be', { watchNamespaces: ['a', ''] }, '\'\' is not a valid namespace'],
    ['with a namespace to watch that is listed twice', { watchNamespaces: ['a', 'b', 'a'] }, 'watchNamespaces names \'a\' twice. Remove one of the two.'],
    ['without replicas', { replicas: 0 }, 'replicas is 0 and must be a whole number, 1 or more.'],
    ['with no shard', { shards: 0 }, 'shards is 0 and must be a whole number, 1 or more.'],
    ['with too many shards', { shards: 33 }, 'shards is 33 and must be at most 32. Use fewer, a few for each replica.'],
    ['with half a worker', { workers: 0.5 }, 'workers is 0.5 and must be a whole number, 1 or more.'],
  ])('%s', (_what, props, message) => {
    expect(() => new TrainingOperator(Testing.chart(), 'Operator', props)).toThrow(`TrainingOperator at 'test/Operator': ${message}`);
  });
});

test('a TrainingOperator is the same each time', () => {
  const chart = Testing.chart();
  new TrainingOperator(chart, 'Operator', { watchNamespaces: ['a'] });
  const app = App.of(chart) as App;
  expect(app.synthYaml()).toBe(app.synthYaml());
});
