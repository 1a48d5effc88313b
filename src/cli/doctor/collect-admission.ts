/** Reads the webhooks for objects of the program and for its pods. */
import type { Program } from './program';
import { foundIn, type ServiceFacts, type WebhookFacts, clusterKind } from './snapshot';
import type { TolerantReader } from './tolerant-reader';
import { inParallel } from '../diff/discovery';
import type { AnyObject } from '../jobs/objects';
import { record, records, textIn, texts, type JsonRecord } from '../../model/json-parts';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import { isSelected, type LabelSelector } from '../../model/references/targets';
import { NAMESPACES, SERVICES, type ResourceKind } from '../../operator/runtime/resource-kind';

const CONFIGURATIONS: readonly ResourceKind[] = [
  clusterKind('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
  clusterKind('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
];

/** Maximum number of webhooks. */
const MOST = 100;

interface Configuration extends AnyObject {
  readonly webhooks?: unknown;
}

interface Requested {
  readonly group: string;
  readonly resource: string;
}

/** The webhooks; undefined if they may not be read. @param namespace of objects that name none */
export async function collectAdmission(reader: TolerantReader, program: Program | undefined, namespace: string): Promise<WebhookFacts[] | undefined> {
  const requested: Requested[] = [
    { group: '', resource: 'pods' },
    ...(program === undefined ? [{ group: API_GROUP, resource: TRAINING_JOB_PLURAL }]
      : program.workloads.map(({ kind }) => ({ group: kind.group, resource: kind.plural }))),
  ];
  const [{ namespace: own }] = program !== undefined && program.workloads.length > 0 ? program.workloads : [{ namespace }];
  const [lists, where] = await Promise.all([
    Promise.all(CONFIGURATIONS.map(async (kind) => reader.list<Configuration>(kind, undefined))), reader.look<AnyObject>(NAMESPACES, undefined, own),
  ]);
  if (lists.every((list) => list === undefined)) {
    return undefined;
  }
  const labels = foundIn(where)?.metadata?.labels ?? { 'kubernetes.io/metadata.name': own };
  const webhooks = lists.flatMap((list, index) => (list ?? []).flatMap(({ metadata, webhooks: all }) => records(all)
    .map((webhook) => ({ configuration: `${CONFIGURATIONS[index].kind} ${metadata?.name}`, webhook, resource: askedAbout(webhook, requested) }))));
  const relevant = webhooks.filter(({ webhook, resource }) => resource !== undefined && textIn(serviceOf(webhook).name) !== undefined
    && isSelected(record(webhook.namespaceSelector) as LabelSelector, labels));
  return inParallel(reader.first('webhooks', relevant, MOST), async ({ configuration, webhook, resource }): Promise<WebhookFacts> => {
    const { namespace: serviceNamespace, name } = serviceOf(webhook);
    return {
      configuration, name: String(webhook.name), failurePolicy: textIn(webhook.failurePolicy) ?? 'Fail', resource: resource!,
      isSelective: Object.keys(record(webhook.objectSelector)).length > 0 || records(webhook.matchConditions).length > 0,
      service: await serviceFacts(reader, String(serviceNamespace), String(name)),
    };
  });
}

function serviceOf({ clientConfig }: JsonRecord): JsonRecord {
  return record(record(clientConfig).service);
}

/** The first resource whose creation calls the webhook. */
function askedAbout({ rules }: JsonRecord, requested: readonly Requested[]): string | undefined {
  const has = (list: unknown, name: string) => texts(list).some((entry) => entry === name || entry === '*' || entry === '*/*');
  return requested.find(({ group, resource }) => records(rules).some((rule) => (
    has(rule.apiGroups, group) && has(rule.resources, resource) && has(rule.operations, 'CREATE'))))?.resource;
}

const ENDPOINT_SLICES: ResourceKind = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', kind: 'EndpointSlice', namespaced: true };

/** Reads a service that the API server calls, and how many of its endpoints are ready. */
export async function serviceFacts(reader: TolerantReader, namespace: string, name: string): Promise<ServiceFacts> {
  const [service, slices] = await Promise.all([
    reader.look<AnyObject>(SERVICES, namespace, name), reader.list<AnyObject>(ENDPOINT_SLICES, namespace, { labelSelector: `kubernetes.io/service-name=${name}` }),
  ]);
  const ready = slices?.flatMap((slice) => records((slice as { readonly endpoints?: unknown }).endpoints))
    .filter(({ conditions, addresses }) => record(conditions).ready !== false && Array.isArray(addresses) && addresses.length > 0);
  return { namespace, name, service, ...(ready !== undefined && { endpoints: ready.length }) };
}
