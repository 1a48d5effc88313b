/** What a `TrainyardDashboard` installs, and what it refuses. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Cpu } from 'cdk8s-plus-28';
import { Chart, Duration, Size, Testing } from 'cdk8s';
import { readPrices } from '../../../src/cli/cost/read-prices';
import { readSettings } from '../../../src/cli/ui/dashboard/settings';
import { DashboardAuth, DashboardHistory, TrainyardDashboard, type TrainyardDashboardProps } from '../../../src/constructs/dashboard';
import { TrainingOperator } from '../../../src/constructs/training-operator';

// The shipped bundle changes with each line of the server.
// The code of the dashboard alone: the operator's is read by the same function.
jest.mock('../../../src/constructs/rendering/node-program', () => {
  const actual = jest.requireActual<typeof import('../../../src/constructs/rendering/node-program')>('../../../src/constructs/rendering/node-program');
  return {
    ...actual,
    readBundle: (construct: string, what: string, file: string) => (
      construct === 'TrainyardDashboard' ? Buffer.from('a bundle') : actual.readBundle(construct, what, file)),
  };
});

type Manifests = ReturnType<typeof Testing.synth>;

function synth(props: TrainyardDashboardProps = {}): Manifests {
  const chart = Testing.chart();
  new TrainyardDashboard(chart, 'Dashboard', props);
  return Testing.synth(chart);
}

function one(manifests: Manifests, kind: string): Manifests[number] {
  const found = manifests.filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
}

const podOf = (manifests: Manifests) => one(manifests, 'Deployment').spec.template.spec;
const variablesOf = (manifests: Manifests) => Object.fromEntries(
  podOf(manifests).containers[0].env.map(({ name, value }: { readonly name: string; readonly value: string }) => [name, value]));

const headers = (options: Partial<Parameters<typeof DashboardAuth.headers>[0]> = {}) => (
  DashboardAuth.headers({ userHeader: 'X-Auth-Request-Email', proxyNamespaces: ['auth'], ...options }));

const SHARED = DashboardAuth.token({ sessionKeySecretName: 'dashboard-session' });

describe('by default', () => {
  test('these are the objects', () => {
    expect(synth()).toMatchSnapshot();
  });

  test('the dashboard has no right, and no token', () => {
    const all = synth();
    expect(all.map(({ kind }) => kind)).not.toEqual(expect.arrayContaining([expect.stringMatching(/Role/)]));
    expect(podOf(all).automountServiceAccountToken).toBe(false);
    expect(JSON.stringify(podOf(all).volumes)).not.toContain('serviceAccountToken');
  });

  test('it is beside the operator, in its namespace, which is created once', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    new TrainingOperator(chart, 'Operator');
    new TrainyardDashboard(chart, 'Dashboard');
    const all = Testing.synth(chart);
    expect(all.filter(({ kind }) => kind === 'Namespace')).toHaveLength(1);
    expect(all.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.namespace === 'ml').map(({ metadata }) => metadata.name))
      .toEqual(expect.arrayContaining(['trainyard-dashboard', 'trainyard-operator']));
  });
});

describe('users by header', () => {
  test('the dashboard may act in the name of users, and of groups only where they are read', () => {
    const rules = (auth: DashboardAuth) => one(synth({ auth }), 'ClusterRole').rules;
    expect(rules(headers())).toEqual([{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }]);
    expect(rules(headers({ groupsHeader: 'X-Auth-Request-Groups', groupPrefix: 'oidc:', groups: ['ml'], users: ['ada'], userPrefix: 'u:' }))).toEqual([
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['u:ada'] },
      { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['oidc:ml'] },
    ]);
  });

  test('only the proxy can connect', () => {
    const ingress = (auth: DashboardAuth) => one(synth({ auth }), 'NetworkPolicy').spec.ingress;
    expect(ingress(headers({ proxyLabels: { app: 'oauth2-proxy' } }))).toEqual([{
      from: [{
        namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['auth'] }] }, podSelector: { matchLabels: { app: 'oauth2-proxy' } },
      }],
      ports: [{ port: 8080, protocol: 'TCP' }],
    }]);
    expect(ingress(DashboardAuth.googleIap())[0].from).toEqual([{ ipBlock: { cidr: '130.211.0.0/22' } }, { ipBlock: { cidr: '35.191.0.0/16' } }]);
  });

  test('the process learns the header, and has a token', () => {
    const all = synth({ auth: DashboardAuth.googleIap() });
    expect(variablesOf(all)).toMatchObject({ AUTH: 'headers', USER_HEADER: 'X-Goog-Authenticated-User-Email', USER_HEADER_PREFIX: 'accounts.google.com:' });
    expect(podOf(all).volumes).toContainEqual({
      name: 'account',
      projected: { sources: [
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }, { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
      ] },
    });
    expect(variablesOf(synth({ auth: DashboardAuth.kubeflow() }))).toMatchObject({ USER_HEADER: 'kubeflow-userid' });
  });
});

describe('properties', () => {
  test('replicas share the key of sessions, and get a disruption budget', () => {
    const all = synth({ replicas: 2, auth: SHARED });
    expect(one(all, 'PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
    expect(podOf(all).volumes).toContainEqual({ name: 'session-key', secret: { secretName: 'dashboard-session' } });
    expect(variablesOf(all)).toMatchObject({ SESSION_KEY_FOLDER: '/etc/trainyard/session-key', SESSION_SECONDS: '28800' });
  });

  test('an Ingress and a Gateway lead to it, and it answers to their hosts', () => {
    const all = synth({
      path: '/trainyard/', hosts: ['other.example.com'], allowChanges: true, embed: { sameOrigin: true, origins: ['https://portal.example.com'] },
      ingress: { host: 'a.example.com', tlsSecretName: 'a-tls', className: 'nginx', annotations: { x: 'y' } },
      gateway: { host: 'b.example.com', name: 'gateway', namespace: 'infra', sectionName: 'https' },
      service: { type: 'NodePort', annotations: { 'cloud.google.com/backend-config': '{}' } }, firstNamespace: 'ml', clusterName: 'production',
    });
    expect(['Ingress', 'HTTPRoute', 'Service'].map((kind) => one(all, kind))).toMatchSnapshot();
    expect(variablesOf(all)).toMatchObject({
      ALLOWED_HOSTS: 'a.example.com,b.example.com,other.example.com', BASE_PATH: '/trainyard/', ALLOW_CHANGES: 'true', FIRST_NAMESPACE: 'ml', CLUSTER_NAME: 'production',
      FRAME_ANCESTORS: "'self' https://portal.example.com",
    });
  });

  test('an image that has the code needs no ConfigMaps', () => {
    const all = synth({ image: 'registry.example/trainyard:1' });
    expect(all.filter(({ kind }) => kind === 'ConfigMap')).toEqual([]);
    expect(podOf(all).containers[0]).toMatchObject({ image: 'registry.example/trainyard:1', command: ['node', '--max-semi-space-size=8', '/opt/trainyard/dashboard.mjs'] });
  });

  test('compute that is not given has its default', () => {
    expect(podOf(synth({ resources: { cpu: Cpu.units(1), memory: Size.gibibytes(1) } })).containers[0].resources)
      .toEqual({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } });
  });

  test('a namespace is created where that is asked for', () => {
    expect(one(synth({ namespace: 'dash', createNamespace: true }), 'Namespace').metadata).toMatchObject({ name: 'dash', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } });
  });
});

describe('refused is', () => {
  test.each<[string, () => TrainyardDashboardProps, string]>([
    ['two replicas without a key', () => ({ replicas: 2 }), 'replicas: 2: needs a session key that the replicas share'],
    ['no replica', () => ({ replicas: 0 }), 'replicas: 0: must be a whole number, 1 or more.'],
    ['a path without its last slash', () => ({ path: '/trainyard' }), "path: \"/trainyard\": must begin and end with '/'"],
    ['a host with a scheme', () => ({ hosts: ['https://x.example'] }), 'hosts[0]: "https://x.example": is not a host name.'],
    ['a host with a port', () => ({ ingress: { host: 'x.example:443' } }), 'ingress.host: "x.example:443": is not a host name.'],
    ['any host', () => ({ gateway: { host: '*.example.com', name: 'g' } }), 'gateway.host: "*.example.com": is not a host name.'],
    ['a frame of any page', () => ({ embed: { origins: ['*'] } }), 'embed.origins[0]: "*": is not an origin.'],
    ['a frame with another rule behind it', () => ({ embed: { origins: ['https://x.example; script-src *'] } }), 'embed.origins[0]'],
    ['a namespace that is none', () => ({ firstNamespace: 'Team A' }), 'firstNamespace: "Team A": is not a valid namespace name'],
    ['a session of a second', () => ({ auth: DashboardAuth.token({ sessionDuration: Duration.seconds(1) }) }), 'auth.sessionDuration: 1: must be a whole number from 60 to 2592000, in seconds: 1 minute to 30 days.'],
    ['a key of no name', () => ({ auth: DashboardAuth.token({ sessionKeySecretName: 'A B' }) }), 'auth.sessionKeySecretName: "A B": is not the name of a Secret'],
    ['a header without a proxy', () => ({ auth: headers({ proxyNamespaces: [] }) }), 'auth.proxyNamespaces: []: names no proxy'],
    ['a header that all may write', () => ({ auth: headers({ proxyAddresses: ['0.0.0.0/0'] }) }), 'auth.proxyAddresses[0]: "0.0.0.0/0": is the whole internet'],
    ['an address that is none', () => ({ auth: headers({ proxyAddresses: ['10.0.0.1'] }) }), 'auth.proxyAddresses[0]: "10.0.0.1": is not an address range.'],
    ['a header without a NetworkPolicy', () => ({ auth: headers(), networkPolicy: false }), 'networkPolicy: false: would let every pod of the cluster write the header'],
    ['a header of browsers', () => ({ auth: headers({ userHeader: 'Cookie' }) }), 'auth.userHeader: "Cookie": is not a header with which a proxy names users.'],
    ['a header of Kubernetes', () => ({ auth: headers({ userHeader: 'Impersonate-User' }) }), 'auth.userHeader: "Impersonate-User"'],
    ['groups without a header', () => ({ auth: headers({ groups: ['ml'] }) }), 'auth.groupsHeader: is missing'],
    ['a user of Kubernetes', () => ({ auth: headers({ users: ['system:admin'] }) }), 'auth.users: "system:admin": is one of Kubernetes\' own names'],
    ['a prefix of Kubernetes', () => ({ auth: headers({ userPrefix: 'system:serviceaccount:' }) }), 'auth.userPrefix: "system:serviceaccount:": would make names'],
    ['a proxy of no namespace', () => ({ auth: headers({ proxyNamespaces: [], proxyAddresses: ['10.8.0.0/16'], proxyLabels: { app: 'x' } }) }), 'auth.proxyLabels'],
    ['two images', () => ({ image: 'a', nodeImage: 'b' }), "sets both 'image' (a), which contains the dashboard's code, and 'nodeImage' (b)"],
  ])('%s', (_what, props, message) => {
    expect(() => synth(props())).toThrow(message);
    expect(() => synth(props())).toThrow("TrainyardDashboard at 'test/Dashboard'");
  });

  test('all of it at once', () => {
    expect(() => synth({ replicas: 0, path: 'x' })).toThrow(/replicas: 0: .*\n?.*path: "x"/);
  });

  test('options of another type', () => {
    expect(() => DashboardAuth.token({ sessionDuration: '8h' as never })).toThrow('DashboardAuth.token: sessionDuration');
    expect(() => synth({ auth: 'token' as never })).toThrow(/auth: "token"/);
  });
});

describe('with a history', () => {
  const recorderIn = (manifests: Manifests, kind: string) => manifests.find((object) => object.kind === kind && object.metadata.name === 'trainyard-recorder')!;

  test('a recorder of the same code reads jobs, and answers to the dashboard alone', () => {
    const all = synth({ history: DashboardHistory.sqlite({ size: Size.gibibytes(20), storageClassName: 'ssd', maxAge: Duration.days(30) }) });
    expect(recorderIn(all, 'ClusterRole').rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) => [resources, verbs])).toEqual([
      ['mltrainingjobs'], ['get', 'list', 'watch'], ['pods', 'events'], ['list'], ['pods/log'], ['get'],
    ]);
    expect(recorderIn(all, 'PersistentVolumeClaim').spec).toMatchObject({ storageClassName: 'ssd', resources: { requests: { storage: '20480Mi' } } });
    expect(recorderIn(all, 'NetworkPolicy').spec.ingress).toEqual([
      { from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'trainyard-dashboard' } } }], ports: [{ port: 8082, protocol: 'TCP' }] },
    ]);
    const { strategy, replicas, template } = recorderIn(all, 'Deployment').spec;
    expect([strategy, replicas]).toEqual([{ type: 'Recreate' }, 1]);
    expect(template.spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(template.spec.containers[0].env).toEqual(expect.arrayContaining([{ name: 'HISTORY_DAYS', value: '30' }, { name: 'PROGRAM', value: 'recorder' }]));
    // The only token of the dashboard is one that the API server refuses.
    const dashboard = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'trainyard-dashboard');
    expect(JSON.stringify(dashboard).match(/serviceAccountToken":\{[^}]*/g)).toEqual([expect.stringContaining('"audience":"trainyard-recorder"')]);
  });

  test('PostgreSQL has no volume, and several recorders', () => {
    const all = synth({ history: DashboardHistory.postgres({ secretName: 'history-database', replicas: 2 }) });
    expect(recorderIn(all, 'PersistentVolumeClaim')).toBeUndefined();
    expect(recorderIn(all, 'Deployment').spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    expect(recorderIn(all, 'Deployment').spec.template.spec.volumes).toContainEqual({ name: 'database', secret: { secretName: 'history-database' } });
  });

  test.each([
    [() => DashboardHistory.sqlite({ size: Size.gibibytes(1) }), /history\.maxSize: 4096: MiB of jobs do not fit into a volume of 1024 MiB.*at most 614 MiB/],
    [() => DashboardHistory.postgres({ secretName: 'Not A Name' }), /history\.secretName: "Not A Name": is not the name of a Secret/],
    [() => DashboardHistory.sqlite({ maxJobs: 0 }), /history\.maxJobs: 0: must be a whole number, 1 or more \(jobs\)/],
  ])('contradictions are refused: %#', (history, message) => {
    expect(() => synth({ history: history() })).toThrow(message);
  });
});

describe('with a price table', () => {
  const file = path.join(__dirname, '../../../examples/cost/prices.yaml');

  test('the dashboard reads what the file says', () => {
    const all = synth({ priceTable: file });
    const prices = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('prices'))!;
    expect(JSON.parse(prices.data['prices.json'])).toMatchObject({ currency: 'USD', date: '2026-11-20', machines: { 'g2-standard-12': { onDemand: 1, spot: 0.4 } } });
    const { volumes, containers: [container] } = podOf(all);
    expect(volumes).toContainEqual({ name: 'prices', configMap: { name: prices.metadata.name } });
    expect(container.volumeMounts).toContainEqual({ name: 'prices', mountPath: '/etc/trainyard/prices', readOnly: true });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-prices-'));
    fs.writeFileSync(path.join(folder, 'prices.json'), prices.data['prices.json']);
    const mounted = { ...variablesOf(all), PRICES_FILE: variablesOf(all).PRICES_FILE.replace('/etc/trainyard/prices', folder) };
    expect(readSettings(mounted).prices).toEqual(readPrices(file));
    fs.rmSync(folder, { recursive: true });
  });

  test('other prices are another ConfigMap, so that pods are replaced', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-prices-'));
    const other = path.join(folder, 'prices.yaml');
    fs.writeFileSync(other, fs.readFileSync(file, 'utf8').replace('spot: 0.4', 'spot: 0.5'));
    const nameOf = (place: string) => podOf(synth({ priceTable: place })).volumes.find(({ name }: { readonly name: string }) => name === 'prices').configMap.name as string;
    expect(nameOf(other)).not.toBe(nameOf(file));
    fs.writeFileSync(other, 'currency: USD\n');
    expect(() => synth({ priceTable: other })).toThrow(/priceTable: ".*prices\.yaml": .*date/s);
    fs.rmSync(folder, { recursive: true });
  });

  test('a file that is not there is named', () => {
    expect(() => synth({ priceTable: 'nowhere.yaml' })).toThrow('priceTable: "nowhere.yaml": there is no such file');
  });
});
