import { constructNotebook, constructPodDefault, constructTensorBoard } from '../../../src/manifests/workbench/kubeflow-objects';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { validateNotebook, type NotebookSpec } from '../../../src/model/workbench/notebook';
import { validatePodDefault, type PodDefaultSpec } from '../../../src/model/workbench/pod-default';
import { validateTensorBoard } from '../../../src/model/workbench/tensor-board';
import { validateWorkspace, type WorkspaceSpec } from '../../../src/model/workbench/workspace';
import { formatViolation, type Violation } from '../../../src/model/violations';

/** What is found, with the objects that are rendered: the one that it is found in first. */
const OBJECTS = new Map<Violation[], readonly object[]>();

function recorded(violations: Violation[], objects: readonly object[]): Violation[] {
  OBJECTS.set(violations, objects);
  return violations;
}

function notebook(changes: Partial<NotebookSpec> = {}): Violation[] {
  const spec: NotebookSpec = {
    name: 'lab', namespace: 'team-a', type: 'jupyter', image: 'jupyter:1', env: [], envFrom: [], resources: {}, volumes: [], volumeMounts: [], tolerations: [], imagePullSecrets: [],
    podDefaults: [], stopped: false, ...changes,
  };
  const podDefaults = spec.podDefaults.map(({ name, spec: ofDefault }) => {
    const object = constructPodDefault(name, ofDefault);
    return { ...object, metadata: { ...object.metadata, namespace: spec.namespace } };
  });
  const object = constructNotebook(spec);
  const metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...spec.labels } };
  return recorded(validateNotebook(spec), [{ ...object, metadata }, ...podDefaults]);
}

function ofPodDefault(name: string, spec: PodDefaultSpec): Violation[] {
  return recorded(validatePodDefault(name, spec), [constructPodDefault(name, spec)]);
}

function ofTensorBoard(name: string, logsPath: string): Violation[] {
  return recorded(validateTensorBoard(name, logsPath), [constructTensorBoard(name, logsPath)]);
}

const ADDS_NOTHING: PodDefaultSpec = { selector: { hub: 'true' }, env: [], envFrom: [], volumes: [], volumeMounts: [], tolerations: [], imagePullSecrets: [] };

function podDefault(changes: Partial<PodDefaultSpec> = {}): PodDefaultSpec {
  return { ...ADDS_NOTHING, env: [{ name: 'A', value: '1' }], ...changes };
}

function workspace(changes: Partial<WorkspaceSpec> = {}): Violation[] {
  return validateWorkspace({ server: { name: 'x', command: ['x'], port: 8080, hint: '' }, idleSeconds: 3600, roles: [], ...changes });
}

const server = { name: 'x', command: ['x'], port: 8080, hint: '' };

const BROKEN: readonly (readonly [string, Violation[], string])[] = [
  // Notebooks.
  ['a notebook with a dot in its name', notebook({ name: 'lab.v2' }), 'metadata.name: "lab.v2": must be a DNS-1035 label'],
  ['a notebook with a long name', notebook({ name: 'n'.repeat(53) }), `metadata.name: "${'n'.repeat(53)}": has 53 characters, and the pods of its StatefulSet have room for 52.`],
  ['a port that is none', notebook({ port: 70_000 }), 'spec.template.spec.containers[0].ports: 70000: must be a whole number from 1 to 65535.'],
  ['the variable of the controller', notebook({ env: [{ name: 'NB_PREFIX', value: '/' }] }), 'spec.template.spec.containers[0].env: "NB_PREFIX": is set by the controller'],
  ['RStudio without a namespace', notebook({ type: 'group-two', namespace: undefined }), 'metadata.namespace: is required: the server\'s path contains it'],
  ['a second container of the server', notebook({ podSpec: { containers: [{ name: 'lab' }] } }), 'spec.template.spec.containers: "lab": is the server'],
  ['a variable that a PodDefault changes', notebook({ env: [{ name: 'A', value: '2' }], podDefaults: [{ name: 'hub', spec: podDefault() }] }),
    'podDefaults.env: "A": differs between the notebook and PodDefault \'hub\''],
  ['a label that a PodDefault changes', notebook({ labels: { team: 'a' }, podDefaults: [{ name: 'hub', spec: podDefault({ labels: { team: 'b' } }) }] }),
    'podDefaults.labels: "team": differs between the notebook and PodDefault \'hub\''],
  ['a label of the controller', notebook({ podDefaults: [{ name: 'hub', spec: podDefault({ labels: { 'notebook-name': 'b' } }) }] }), 'podDefaults.labels: "notebook-name": differs'],
  ['two PodDefaults with one annotation', notebook({ podDefaults: [
    { name: 'a', spec: podDefault({ annotations: { owner: 'a' } }) }, { name: 'b', spec: podDefault({ annotations: { owner: 'b' } }) },
  ] }), 'podDefaults.annotations: "owner": differs between PodDefault \'a\' and PodDefault \'b\''],
  ['two PodDefaults with one variable', notebook({ podDefaults: [{ name: 'a', spec: podDefault() }, { name: 'b', spec: podDefault({ env: [{ name: 'A', value: '2' }] }) }] }),
    'podDefaults.env: "A": differs between PodDefault \'a\' and PodDefault \'b\''],
  ['two volumes of one name', notebook({ volumes: [{ name: 'v', emptyDir: {} }], podDefaults: [{ name: 'a', spec: podDefault({ volumes: [{ name: 'v', secret: {} }] }) }] }),
    'podDefaults.volumes: "v": differs between the notebook'],
  ['two mounts at one path', notebook({
    volumeMounts: [{ name: 'v', mountPath: '/data' }], podDefaults: [{ name: 'a', spec: podDefault({ volumes: [{ name: 'w' }], volumeMounts: [{ name: 'w', mountPath: '/data' }] }) }],
  }), 'podDefaults.volumeMounts: "/data": differs between the notebook'],
  ['two tolerations of one key', notebook({
    tolerations: [{ key: 'gpu', operator: 'Exists' }], podDefaults: [{ name: 'a', spec: podDefault({ tolerations: [{ key: 'gpu', value: 'a' }] }) }],
  }), 'podDefaults.tolerations: "gpu": differs between the notebook'],
  // PodDefaults.
  ['a PodDefault of all pods', ofPodDefault('hub', podDefault({ selector: {} })), 'spec.selector: {}: is empty, so every pod in the namespace would be changed.'],
  ['a PodDefault with a name that is none', ofPodDefault('Hub', podDefault()), 'metadata.name: "Hub": must be a DNS name: lower-case letters'],
  ['a PodDefault that adds nothing', ofPodDefault('hub', ADDS_NOTHING), 'spec: adds nothing to pods.'],
  ['a PodDefault with a strange name', ofPodDefault('Hub', podDefault()), 'metadata.name: "Hub": must be a DNS name'],
  ['a mount without a volume', ofPodDefault('hub', podDefault({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })), 'spec.volumeMounts[0].name: "v": is not a volume of the PodDefault'],
  ['two mounts of one PodDefault at one path', ofPodDefault('hub', podDefault({
    volumes: [{ name: 'v' }, { name: 'w' }], volumeMounts: [{ name: 'v', mountPath: '/v' }, { name: 'w', mountPath: '/v' }],
  })), 'spec.volumeMounts: "/v": differs between hub and hub'],
  // TensorBoards.
  ['a TensorBoard with a strange name', ofTensorBoard('Board', 'gs://runs/a'), 'metadata.name: "Board": must be a DNS-1035 label'],
  ['a TensorBoard with a long name', ofTensorBoard('b'.repeat(59), 'gs://runs/a'), `metadata.name: "${'b'.repeat(59)}": has 59 characters, and the port of its Service, http-NAME`],
  ['logs at a plain path', ofTensorBoard('board', '/logs'), 'spec.logspath: "/logs": the controller reads from pvc://CLAIM/FOLDER, gs://BUCKET/FOLDER, s3://BUCKET/FOLDER.'],
  ['logs in another store', ofTensorBoard('board', 'azure://runs/a'), 'spec.logspath: "azure://runs/a": the controller reads from'],
  ['logs without a bucket', ofTensorBoard('board', 'gs:///a'), 'spec.logspath: "gs:///a": does not have the form gs://BUCKET/FOLDER.'],
  ['logs above the claim', ofTensorBoard('board', 'pvc://runs/../a'), 'spec.logspath: "pvc://runs/../a": contains \'..\''],
  // Workspaces.
  ['a workspace without a port', workspace({ server: { ...server, port: 0 } }), 'server.port: 0: must be a whole number from 1 to 65535.'],
  ['a workspace without a program', workspace({ server: { ...server, command: [] } }), 'server.command: is empty.'],
  ['a workspace that stops at once', workspace({ idleSeconds: 30 }), 'idleTimeout: 30: must be 60 seconds or more'],
  ['a workspace that ends before it is idle', workspace({ maxSeconds: 3600 }), 'idleTimeout: 3600: is not less than maxDuration (3600)'],
  ['a role that is none', workspace({ role: 'master', roles: ['chief', 'worker'] }), 'role: "master": the job has the roles chief, worker.'],
  ['a role of the short form', workspace({ role: 'master' }), 'role: "master": the job uses the short form, which has no roles.'],
];

/** What is told of the first of several objects in YAML, without its place. */
function messagesOf(objects: readonly object[]): string[] {
  const [first, ...others] = JSON.parse(JSON.stringify(objects)) as ManifestObject[];
  return checkForeign(first, [first, ...others]).map(({ message }) => message);
}

/** What an object may have: the controller keeps its variable, and names of containers are the API server's matter. */
const ONLY_IN_CODE: readonly string[] = [
  'the variable of the controller', 'a port that is none', 'RStudio without a namespace',
  // A PodDefault can be meant for all pods, and mount what they have; a plain path is one of the claim `tb-volume`.
  'a PodDefault of all pods', 'a mount without a volume', 'logs at a plain path',
];

test.each(BROKEN)('%s is one violation', (what, violations, line) => {
  expect(violations.map(formatViolation)).toEqual([expect.stringContaining(line)]);
  const objects = OBJECTS.get(violations);
  if (objects !== undefined) {
    expect(messagesOf(objects)).toEqual(ONLY_IN_CODE.includes(what) ? [] : violations.map(({ message }) => message));
  }
});

describe('of objects in YAML', () => {
  const server = (container: object, labels: object = { hub: 'true' }, pod: object = {}) => ({
    apiVersion: 'kubeflow.org/v1', kind: 'Notebook', metadata: { name: 'lab', namespace: 'a', labels }, spec: { template: { spec: { containers: [{ name: 'lab', ...container }], ...pod } } },
  });
  const hub = (spec: object, namespace = 'a') => ({
    apiVersion: 'kubeflow.org/v1alpha1', kind: 'PodDefault', metadata: { name: 'hub', namespace }, spec: { selector: { matchLabels: { hub: 'true' } }, ...spec },
  });
  const env = (value: string) => [{ value, name: 'A' }];

  test('the place of a conflict is told', () => {
    const objects = [server({ env: env('1') }), hub({ env: env('2') })];
    expect(checkForeign(objects[0], objects).map(formatViolation)).toEqual([expect.stringContaining('spec.template.spec.containers[0].env: "A": differs between the notebook and PodDefault \'hub\'')]);
    const tolerating = [server({}, undefined, { tolerations: [{ key: 'gpu', operator: 'Exists' }] }), hub({ tolerations: [{ key: 'gpu', value: 'a' }] })];
    expect(checkForeign(tolerating[0], tolerating).map(({ path }) => path)).toEqual(['spec.template.spec.tolerations']);
  });

  test.each<[string, object[]]>([
    ['another namespace', [server({ env: env('1') }), hub({ env: env('2') }, 'b')]],
    ['another label', [server({ env: env('1') }, {}), hub({ env: env('2') })]],
    ['another order', [server({ env: [{ name: 'A', value: '1' }] }), hub({ env: env('1') })]],
    ['a selector by expressions', [server({ env: env('1') }), hub({ env: env('2'), selector: { matchExpressions: [{ key: 'hub', operator: 'Exists' }] } })]],
    ['a PodDefault of sidecars', [hub({ sidecars: [{ name: 'proxy' }] })]],
    ['logs of a claim in the old way', [{ apiVersion: 'tensorboard.kubeflow.org/v1alpha1', kind: 'Tensorboard', metadata: { name: 'board' }, spec: { logspath: '/logs' } }]],
  ])('nothing is told of %s', (_what, objects) => {
    expect(messagesOf(objects)).toEqual([]);
  });

  test.each([null, [], 'x', { template: 'x', selector: [], env: 1, volumeMounts: [null] }, { template: { spec: { containers: [null, 1] } }, logspath: 1 }])('%j ends nothing', (spec) => {
    for (const [apiVersion, kind] of [['kubeflow.org/v1', 'Notebook'], ['kubeflow.org/v1alpha1', 'PodDefault'], ['tensorboard.kubeflow.org/v1alpha1', 'Tensorboard']]) {
      const object = { apiVersion, kind, metadata: { name: 'x' }, spec };
      expect(() => checkForeign(object, [object, hub(spec as object)])).not.toThrow();
    }
  });
});

test('every violation says what to do', () => {
  expect(BROKEN.flatMap(([, violations]) => violations).filter(({ message }) => !/\.$/.test(message))).toEqual([]);
});

test.each<[string, Violation[]]>([
  ['the least notebook', notebook()],
  ['a notebook with a name that just fits', notebook({ name: 'n'.repeat(52) })],
  ['RStudio in a namespace', notebook({ type: 'group-two' })],
  ['PodDefaults that say the same', notebook({ env: [{ name: 'A', value: '1' }], podDefaults: [{ name: 'a', spec: podDefault() }, { name: 'b', spec: podDefault() }] })],
  ['a PodDefault', ofPodDefault('hub', podDefault())],
  ['a PodDefault with an identity alone', ofPodDefault('hub', { ...ADDS_NOTHING, serviceAccountName: 'trainer' })],
  ['a PodDefault with one flag', ofPodDefault('hub', { ...ADDS_NOTHING, automountServiceAccountToken: false })],
  ['logs on a whole claim', ofTensorBoard('board', 'pvc://runs/')],
  ['logs in a bucket', ofTensorBoard('board', 's3://runs/a/b')],
  ['a TensorBoard with a name that just fits', ofTensorBoard('b'.repeat(58), 'gs://runs/a')],
  ['a workspace that never stops', workspace({ idleSeconds: 0, maxSeconds: 60 })],
  ['a workspace of a role', workspace({ role: 'chief', roles: ['chief'] })],
])('%s is valid', (_what, violations) => {
  expect(violations).toEqual([]);
});
