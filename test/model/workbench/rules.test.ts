import { validateNotebook, type NotebookSpec } from '../../../src/model/workbench/notebook';
import { validatePodDefault, type PodDefaultSpec } from '../../../src/model/workbench/pod-default';
import { validateTensorBoard } from '../../../src/model/workbench/tensor-board';
import { validateWorkspace, type WorkspaceSpec } from '../../../src/model/workbench/workspace';
import { formatViolation, type Violation } from '../../../src/model/violations';

function notebook(changes: Partial<NotebookSpec> = {}): Violation[] {
  return validateNotebook({
    name: 'lab', namespace: 'team-a', type: 'jupyter', image: 'jupyter:1', env: [], envFrom: [], resources: {}, volumes: [], volumeMounts: [], tolerations: [], imagePullSecrets: [],
    podDefaults: [], stopped: false, ...changes,
  });
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
  ['a notebook with a dot in its name', notebook({ name: 'lab.v2' }), 'metadata.name: "lab.v2": must be a DNS label'],
  ['a notebook with a long name', notebook({ name: 'n'.repeat(53) }), `metadata.name: "${'n'.repeat(53)}": has 53 characters, and the pods of its StatefulSet have room for 52.`],
  ['a port that is none', notebook({ port: 70_000 }), 'spec.template.spec.containers[0].ports: 70000: must be a whole number from 1 to 65535.'],
  ['the variable of the controller', notebook({ env: [{ name: 'NB_PREFIX', value: '/' }] }), 'spec.template.spec.containers[0].env: "NB_PREFIX": is set by the controller'],
  ['RStudio without a namespace', notebook({ type: 'group-two', namespace: undefined }), 'metadata.namespace: is required: the server\'s path contains it'],
  ['a second container of the server', notebook({ podSpec: { containers: [{ name: 'lab' }] } }), 'spec.template.spec.containers: "lab": is the server'],
  ['a variable that a PodDefault changes', notebook({ env: [{ name: 'A', value: '2' }], podDefaults: [{ name: 'hub', spec: podDefault() }] }),
    'podDefaults.env: "A": differs between the notebook and PodDefault \'hub\''],
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
  ['a PodDefault of all pods', validatePodDefault('hub', podDefault({ selector: {} })), 'spec.selector: {}: is empty, so every pod in the namespace would be changed.'],
  ['a PodDefault with a name that is none', validatePodDefault('Hub', podDefault()), 'metadata.name: "Hub": must be a DNS name: lower-case letters'],
  ['a PodDefault that adds nothing', validatePodDefault('hub', ADDS_NOTHING), 'spec: adds nothing to pods.'],
  ['a PodDefault with a strange name', validatePodDefault('Hub', podDefault()), 'metadata.name: "Hub": must be a DNS name'],
  ['a mount without a volume', validatePodDefault('hub', podDefault({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })), 'spec.volumeMounts[0].name: "v": is not a volume of the PodDefault'],
  ['two mounts of one PodDefault at one path', validatePodDefault('hub', podDefault({
    volumes: [{ name: 'v' }, { name: 'w' }], volumeMounts: [{ name: 'v', mountPath: '/v' }, { name: 'w', mountPath: '/v' }],
  })), 'spec.volumeMounts: "/v": differs between hub and hub'],
  // TensorBoards.
  ['a TensorBoard with a strange name', validateTensorBoard('Board', 'gs://runs/a'), 'metadata.name: "Board": must be a DNS label'],
  ['a TensorBoard with a long name', validateTensorBoard('b'.repeat(59), 'gs://runs/a'), `metadata.name: "${'b'.repeat(59)}": has 59 characters, and the port of its service, http-NAME`],
  ['logs at a plain path', validateTensorBoard('board', '/logs'), 'spec.logspath: "/logs": the controller reads from pvc://CLAIM/FOLDER, gs://BUCKET/FOLDER, s3://BUCKET/FOLDER.'],
  ['logs in another store', validateTensorBoard('board', 'azure://runs/a'), 'spec.logspath: "azure://runs/a": the controller reads from'],
  ['logs without a bucket', validateTensorBoard('board', 'gs:///a'), 'spec.logspath: "gs:///a": does not have the form gs://BUCKET/FOLDER.'],
  ['logs above the claim', validateTensorBoard('board', 'pvc://runs/../a'), 'spec.logspath: "pvc://runs/../a": contains \'..\''],
  // Workspaces.
  ['a workspace without a port', workspace({ server: { ...server, port: 0 } }), 'server.port: 0: must be a whole number from 1 to 65535.'],
  ['a workspace without a program', workspace({ server: { ...server, command: [] } }), 'server.command: is empty.'],
  ['a workspace that stops at once', workspace({ idleSeconds: 30 }), 'idleTimeout: 30: must be 60 seconds or more'],
  ['a workspace that ends before it is idle', workspace({ maxSeconds: 3600 }), 'idleTimeout: 3600: is not less than maxDuration (3600)'],
  ['a role that is none', workspace({ role: 'master', roles: ['chief', 'worker'] }), 'role: "master": the job has the roles chief, worker.'],
  ['a role of the short form', workspace({ role: 'master' }), 'role: "master": the job uses the short form, which has no roles.'],
];

test.each(BROKEN)('%s is one violation', (_what, violations, line) => {
  expect(violations.map(formatViolation)).toEqual([expect.stringContaining(line)]);
});

test('every violation says what to do', () => {
  expect(BROKEN.flatMap(([, violations]) => violations).filter(({ message }) => !/\.$/.test(message))).toEqual([]);
});

test.each<[string, Violation[]]>([
  ['the least notebook', notebook()],
  ['a notebook with a name that just fits', notebook({ name: 'n'.repeat(52) })],
  ['RStudio in a namespace', notebook({ type: 'group-two' })],
  ['PodDefaults that say the same', notebook({ env: [{ name: 'A', value: '1' }], podDefaults: [{ name: 'a', spec: podDefault() }, { name: 'b', spec: podDefault() }] })],
  ['a PodDefault', validatePodDefault('hub', podDefault())],
  ['a PodDefault with an identity alone', validatePodDefault('hub', { ...ADDS_NOTHING, serviceAccountName: 'trainer' })],
  ['a PodDefault with one flag', validatePodDefault('hub', { ...ADDS_NOTHING, automountServiceAccountToken: false })],
  ['logs on a whole claim', validateTensorBoard('board', 'pvc://runs/')],
  ['logs in a bucket', validateTensorBoard('board', 's3://runs/a/b')],
  ['a TensorBoard with a name that just fits', validateTensorBoard('b'.repeat(58), 'gs://runs/a')],
  ['a workspace that never stops', workspace({ idleSeconds: 0, maxSeconds: 60 })],
  ['a workspace of a role', workspace({ role: 'chief', roles: ['chief'] })],
])('%s is valid', (_what, violations) => {
  expect(violations).toEqual([]);
});
