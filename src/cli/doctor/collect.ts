/** Reads the objects for the checks, with the permissions of the user: a limited number of objects, each once. */
import { collectAdmission, serviceFacts } from './collect-admission';
import { collectNamespaces, collectReferences } from './collect-program';
import { DEPLOYMENTS, readOperator } from '../explain/job/operator';
import type { LogTail, NodeObject } from '../explain/job/snapshot';
import type { AnyObject, EventObject } from '../jobs/objects';
import { Discovery, inParallel } from '../diff/discovery';
import { readProgram, type Program } from './program';
import { foundIn, type ClusterSnapshot, type KindFacts, type KueueFacts, type OperatorFacts, type ReferenceFacts, type Right, clusterKind } from './snapshot';
import { TolerantReader } from './tolerant-reader';
import { OPERATOR_NAME } from '../../manifests/operator/settings';
import { record, textIn } from '../../model/json-parts';
import { workloadKindOf } from '../../model/kinds/registry';
import { KUEUE_GROUP } from '../../model/kueue-names';
import { API_GROUP, GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../model/labels';
import { BUILTIN_KINDS, groupOf } from '../../model/objects/builtin-kinds';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { CONFIG_MAPS, EVENTS, NODES, type ResourceKind } from '../../operator/runtime/resource-kind';

export interface CollectOptions {
  readonly namespace: string;
  readonly program?: Program;
  readonly now: () => number;
  /** Version of this command. */
  readonly version: string;
  /** Hash of the operator's code in this version. */
  readonly operatorCode?: string;
}

const CRDS = clusterKind('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition');
const STORAGE_CLASSES = clusterKind('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass');
const DAEMON_SETS: ResourceKind = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true };
const CLUSTER_ROLES = clusterKind('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole');
const CLUSTER_ROLE_BINDINGS = clusterKind('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding');
const POLICIES = clusterKind('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy');
const POLICY_BINDINGS = clusterKind('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding');

/** Maximum number of kinds. */
const MOST_KINDS = 60;

/** Lines of the operator's log that are shown. */
const LOG_LINES = 5;

/** API groups of autoscalers that add nodes. */
const AUTOSCALER_GROUPS = ['karpenter.sh', 'autoscaling.x-k8s.io'];

export async function collectCluster(client: KubeClient, options: CollectOptions): Promise<ClusterSnapshot> {
  const reader = new TolerantReader(client);
  const { namespace, program, version, operatorCode } = options;
  const { gitVersion } = await client.raw<{ readonly gitVersion: string }>('GET', '/version');
  const before = options.now();
  const serverNow = (await reader.ask('The clock of the API server', async () => client.serverTime()))?.answer;
  const now = options.now();
  const discovery = new Discovery(client);
  const kinds = await readKinds(reader, discovery, program);
  const listed = [STORAGE_CLASSES, POLICIES, POLICY_BINDINGS, DAEMON_SETS, DEPLOYMENTS];
  const [user, nodes, lists, operator, webhooks, rights, isAutoscaled, kueue, namespaces, references] = await Promise.all([
    readUser(reader), reader.list<NodeObject>(NODES, undefined), Promise.all(listed.map(async (kind) => reader.list<AnyObject>(kind, undefined))),
    readOperatorFacts(reader), collectAdmission(reader, program, namespace), readRights(reader, program, namespace), readAutoscaler(reader),
    program === undefined ? undefined : readKueue(reader, discovery, program),
    program === undefined ? [] : collectNamespaces(reader, program, namespace),
    program === undefined ? [] : collectReferences(reader, discovery, program, namespace),
  ]);
  const [storageClasses, policies, policyBindings, daemonSets, deployments] = lists;
  return {
    // The server's clock was read between the two.
    now: (before + now) / 2,
    // Its header has whole seconds, which are half a second early on average.
    ...(serverNow !== undefined && { serverNow: serverNow + 500 }),
    server: client.connection.server.href, kubernetes: gitVersion, user, version, operatorCode, namespace, isAutoscaled, operator, kinds, webhooks,
    policies, policyBindings, nodes, daemonSets, deployments, storageClasses, rights, namespaces, references,
    program: program && readProgram(program.file, program.objects, namespace, runtimesOf(references)),
    ...(kueue !== undefined && { kueue }), unread: reader.unread,
  };
}

/** Runtimes of Trainer and KServe, which contain a part of the pods. */
function runtimesOf(references: readonly ReferenceFacts[]): ManifestObject[] {
  return references.flatMap(({ kind, group, seen }) => (kind.endsWith('Runtime') && group !== '' && seen !== 'unknown-kind' ? foundIn(seen) ?? [] : [])) as ManifestObject[];
}

async function readUser(reader: TolerantReader): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const review = await reader.ask('Who you are', async () => reader.client.raw<AnyObject>('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', body));
  return textIn(record(review?.answer.status?.userInfo).username);
}

/** Kinds of the program; without a program, our own. */
async function readKinds(reader: TolerantReader, discovery: Discovery, program: Program | undefined): Promise<KindFacts[]> {
  const named = (program?.objects ?? []).map(({ apiVersion = '', kind = '' }) => ({ apiVersion, kind }));
  const all = program === undefined ? [{ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND }] : named;
  const isDefined = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => (program?.objects ?? []).some((object) => object.kind === 'CustomResourceDefinition'
    && record(object.spec).group === groupOf(apiVersion) && record(record(object.spec).names).kind === kind);
  const own = all.filter((one, index) => all.findIndex(({ apiVersion, kind }) => one.apiVersion === apiVersion && one.kind === kind) === index)
    .filter((one) => one.apiVersion !== '' && one.kind !== '' && !isDefined(one));
  return inParallel(reader.first('kinds', own, MOST_KINDS), async ({ apiVersion, kind }) => readKind(reader, discovery, apiVersion, kind));
}

async function readKind(reader: TolerantReader, discovery: Discovery, apiVersion: string, kind: string): Promise<KindFacts> {
  const group = groupOf(apiVersion);
  const asked = await reader.ask(`Whether ${kind} of ${apiVersion} is served`, async () => discovery.resourceOf(apiVersion, kind));
  const resource = asked?.answer;
  const plural = resource?.plural ?? (group === API_GROUP ? TRAINING_JOB_PLURAL : workloadKindOf({ apiVersion, kind })?.plural);
  const isBuiltIn = group === '' || BUILTIN_KINDS.some((builtIn) => builtIn.kind === kind && groupOf(builtIn.apiVersion) === group);
  const [versions, definition] = await Promise.all([
    group === '' ? [apiVersion] : reader.versions(group), isBuiltIn || plural === undefined ? undefined : reader.look<AnyObject>(CRDS, undefined, `${plural}.${group}`),
  ]);
  const { webhook } = typeof definition === 'object' ? record(definition.found.spec?.conversion) : {};
  const service = record(record(record(webhook).clientConfig).service);
  return {
    apiVersion, kind, plural, isServed: asked === undefined || resource !== undefined, servedVersions: versions ?? [],
    ...(definition !== undefined && { definition }),
    ...(textIn(service.name) !== undefined && { conversion: await serviceFacts(reader, String(service.namespace), String(service.name)) }),
  };
}

async function readOperatorFacts(reader: TolerantReader): Promise<OperatorFacts> {
  const view = await readOperator(reader) ?? { deployments: [], pods: [], leases: [] };
  const isReadable = !reader.isUnreadable(DEPLOYMENTS);
  const namespaces = [...new Set(view.deployments.flatMap(({ metadata }) => metadata?.namespace ?? []))];
  const looping = view.pods.flatMap(({ metadata, status }) => (status?.containerStatuses ?? []).filter(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff')
    .map(({ name }) => ({ namespace: metadata?.namespace ?? '', pod: metadata?.name ?? '', container: name })));
  const [clusterRole, clusterRoleBinding, logs, events] = await Promise.all([
    view.deployments.length === 0 ? undefined : reader.look<AnyObject>(CLUSTER_ROLES, undefined, OPERATOR_NAME),
    view.deployments.length === 0 ? undefined : reader.look<AnyObject>(CLUSTER_ROLE_BINDINGS, undefined, OPERATOR_NAME),
    Promise.all(looping.slice(0, 2).map(async ({ namespace, pod, container }): Promise<LogTail[]> => {
      const text = await reader.log(namespace, pod, container, true, LOG_LINES);
      return text === undefined || text === '' ? [] : [{ pod, container, text }];
    })),
    Promise.all(namespaces.slice(0, 3).map(async (namespace) => await reader.list<EventObject>(EVENTS, namespace, { fieldSelector: 'type=Warning' }) ?? [])),
  ]);
  return {
    ...view, isReadable, clusterRole, clusterRoleBinding, logs: logs.flat(),
    events: events.flat().filter(({ involvedObject }) => involvedObject?.name?.startsWith(OPERATOR_NAME) === true),
  };
}

/** Whether the cluster has Karpenter or the cluster autoscaler, which has a ConfigMap; undefined if that may not be read. */
async function readAutoscaler(reader: TolerantReader): Promise<boolean | undefined> {
  const [groups, status] = await Promise.all([
    Promise.all(AUTOSCALER_GROUPS.map(async (group) => reader.versions(group))),
    reader.ask('Whether an autoscaler adds nodes', async () => reader.client.tryGet(CONFIG_MAPS, { namespace: 'kube-system', name: 'cluster-autoscaler-status' })),
  ]);
  return groups.some((versions) => versions !== undefined) || (status === undefined ? undefined : status.answer !== undefined);
}

async function readKueue(reader: TolerantReader, discovery: Discovery, program: Program): Promise<KueueFacts | undefined> {
  const queued = program.workloads.filter(({ queue }) => queue !== undefined);
  if (queued.length === 0) {
    return undefined;
  }
  const resource = async (kind: string) => reader.ask(`Kueue's ${kind}`, async () => discovery.preferredResourceOf(KUEUE_GROUP, kind));
  const [localQueue, clusterQueue, cohort, flavor] = await Promise.all([resource('LocalQueue'), resource('ClusterQueue'), resource('Cohort'), resource('ResourceFlavor')]);
  if (localQueue === undefined) {
    return undefined;
  }
  if (localQueue.answer === undefined) {
    return { isInstalled: false };
  }
  const queues = localQueue.answer;
  // Earlier releases have no kind Cohort.
  const list = async (kind: typeof cohort) => (
    kind === undefined ? undefined : kind.answer === undefined ? [] : reader.list<AnyObject>(kind.answer, undefined));
  const namespaces = [...new Set(queued.map(({ namespace }) => namespace))];
  const [localQueues, clusterQueues, cohorts, flavors] = await Promise.all([
    Promise.all(namespaces.map(async (namespace) => reader.list<AnyObject>(queues, namespace))), list(clusterQueue), list(cohort), list(flavor),
  ]);
  const readable = localQueues.filter((found) => found !== undefined);
  return { isInstalled: true, ...(readable.length === localQueues.length && { localQueues: readable.flat() }), clusterQueues, cohorts, flavors };
}

/** Verbs on the jobs themselves. */
const VERBS = ['create', 'get', 'list', 'watch', 'delete'];

async function readRights(reader: TolerantReader, program: Program | undefined, namespace: string): Promise<Right[]> {
  const jobs = program === undefined ? [{ group: API_GROUP, plural: TRAINING_JOB_PLURAL, namespace }]
    : program.workloads.map(({ kind, namespace: own }) => ({ group: kind.group, plural: kind.plural, namespace: own }));
  const distinct = jobs.filter((one, index) => jobs.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === index);
  const asked: Omit<Right, 'isAllowed'>[] = [
    ...distinct.flatMap((job) => VERBS.map((verb) => ({ verb, group: job.group, resource: job.plural, namespace: job.namespace }))),
    ...[...new Set(distinct.map((job) => job.namespace))].flatMap((own) => [
      { verb: 'get', group: '', resource: 'pods/log', namespace: own }, { verb: 'create', group: '', resource: 'pods/exec', namespace: own },
    ]),
  ];
  const answers = await inParallel(asked, async (right): Promise<Right[]> => {
    const [resource, subresource] = right.resource.split('/');
    const spec = { resourceAttributes: { verb: right.verb, group: right.group, resource, subresource, namespace: right.namespace } };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
    const review = await reader.ask('Your permissions', async () => reader.client.raw<AnyObject>('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body));
    return review === undefined ? [] : [{ ...right, isAllowed: review.answer.status?.allowed === true }];
  });
  return answers.flat();
}
