/**
 * What resources have to do with each other, as data: by kind and field, and, for what is in every pod and in every custom resource that holds
 * one, by the name of the field wherever it is.
 */
import {
  kindKey, named, naming, reference, selecting, selectingByLabels, placedAt, valuesAt, type Labels, type Target, type TargetReader,
} from './targets';
import { isRecord } from '../json-parts';
import { workloadKindOf } from '../kinds/registry';
import { groupOf } from '../objects/builtin-kinds';
import { API_GROUP, TRAINING_JOB_KIND } from '../labels';
import { NOTIFICATION_RULE_KIND } from '../notifications/rule';
import type { ManifestObject } from '../objects/manifest-object';
import { addTo } from '../lists';
import { fieldPath } from '../shapes';
import { anyOf, quotedPattern } from '../text/expressions';
import { STORAGE_SECRET_ANNOTATIONS } from '../serving/names';

/** A field by which objects of a kind name others. */
interface FieldRelation {
  /** `GROUP/KIND` of the object that has the field, several divided by spaces; `*` for every kind. */
  readonly of: string;
  /** Path of the field; see `valuesAt`. */
  readonly at: string;
  /** From the object to what it names. */
  readonly verb: string;
  readonly to: TargetReader;
  /** Whether what is made of the object says the same: it counts only where that is not shown. @default false */
  readonly byMade?: boolean;
}

const RBAC = 'rbac.authorization.k8s.io';
const BINDINGS = `${RBAC}/RoleBinding ${RBAC}/ClusterRoleBinding`;
const TRAINING_JOB = `${API_GROUP}/${TRAINING_JOB_KIND}`;
const KUEUE = 'kueue.x-k8s.io';
const GATEWAY = 'gateway.networking.k8s.io';
const ROUTES = ['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'].map((kind) => `${GATEWAY}/${kind}`).join(' ');
const WEBHOOKS = ['Mutating', 'Validating'].map((kind) => `admissionregistration.k8s.io/${kind}WebhookConfiguration`).join(' ');

const FIELDS: readonly FieldRelation[] = [
  { of: '*', at: 'metadata.ownerReferences.*', verb: 'owned by', to: reference() },

  // Traffic
  { of: 'Service', at: 'spec.selector', verb: 'selects', to: selectingByLabels },
  { of: 'networking.k8s.io/NetworkPolicy', at: 'spec.podSelector', verb: 'guards', to: selecting('pods') },
  { of: 'policy/PodDisruptionBudget', at: 'spec.selector', verb: 'protects', to: selecting('pods') },
  { of: 'monitoring.coreos.com/ServiceMonitor', at: 'spec.selector', verb: 'scrapes', to: selecting('Service') },
  { of: 'monitoring.coreos.com/PodMonitor', at: 'spec.selector', verb: 'scrapes', to: selecting('pods') },
  { of: 'apps/StatefulSet', at: 'spec.serviceName', verb: 'named by', to: named('Service') },
  { of: 'networking.k8s.io/Ingress', at: 'spec.rules.*.http.paths.*.backend.service', verb: 'routes to', to: naming('Service', 'name') },
  { of: 'networking.k8s.io/Ingress', at: 'spec.defaultBackend.service', verb: 'routes to', to: naming('Service', 'name') },
  { of: 'networking.k8s.io/Ingress', at: 'spec.ingressClassName', verb: 'is of', to: named('networking.k8s.io/IngressClass') },
  { of: 'networking.k8s.io/Ingress', at: 'spec.tls.*.secretName', verb: 'serves with', to: named('Secret') },
  { of: ROUTES, at: 'spec.parentRefs.*', verb: 'attached to', to: reference(`${GATEWAY}/Gateway`) },
  { of: ROUTES, at: 'spec.rules.*.backendRefs.*', verb: 'routes to', to: reference('Service') },
  { of: `${GATEWAY}/Gateway`, at: 'spec.gatewayClassName', verb: 'is of', to: named(`${GATEWAY}/GatewayClass`) },
  { of: WEBHOOKS, at: 'webhooks.*.clientConfig.service', verb: 'calls', to: naming('Service', 'name') },
  { of: 'apiextensions.k8s.io/CustomResourceDefinition', at: 'spec.conversion.webhook.clientConfig.service', verb: 'calls', to: naming('Service', 'name') },
  { of: 'apiregistration.k8s.io/APIService', at: 'spec.service', verb: 'served by', to: naming('Service', 'name') },

  // Rights and rules
  { of: BINDINGS, at: 'roleRef', verb: 'grants', to: reference(`${RBAC}/ClusterRole`) },
  { of: BINDINGS, at: 'subjects.*', verb: 'to', to: reference(`${RBAC}/User`) },
  {
    of: 'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', at: 'spec.policyName', verb: 'binds',
    to: named('admissionregistration.k8s.io/ValidatingAdmissionPolicy'),
  },
  { of: 'apiextensions.k8s.io/CustomResourceDefinition', at: 'spec', verb: 'defines', to: defined },

  // Scale
  { of: 'autoscaling/HorizontalPodAutoscaler', at: 'spec.scaleTargetRef', verb: 'scales', to: reference() },
  { of: 'autoscaling.k8s.io/VerticalPodAutoscaler', at: 'spec.targetRef', verb: 'scales', to: reference() },
  { of: 'keda.sh/ScaledObject', at: 'spec.scaleTargetRef', verb: 'scales', to: reference('apps/Deployment') },
  { of: 'keda.sh/ScaledObject keda.sh/ScaledJob', at: 'spec.triggers.*.authenticationRef', verb: 'reads', to: reference('keda.sh/TriggerAuthentication') },

  // Storage and secrets
  { of: 'PersistentVolumeClaim', at: 'spec.volumeName', verb: 'bound to', to: named('PersistentVolume') },
  { of: 'PersistentVolume', at: 'spec.claimRef', verb: 'bound to', to: naming('PersistentVolumeClaim', 'name') },
  { of: 'ServiceAccount', at: 'secrets.*', verb: 'reads', to: naming('Secret', 'name') },
  { of: 'external-secrets.io/ExternalSecret', at: 'spec.secretStoreRef', verb: 'reads', to: reference('external-secrets.io/SecretStore') },
  { of: 'external-secrets.io/ExternalSecret', at: 'spec.target.name', verb: 'makes', to: named('Secret') },
  { of: 'cert-manager.io/Certificate', at: 'spec.secretName', verb: 'makes', to: named('Secret') },
  { of: 'cert-manager.io/Certificate', at: 'spec.issuerRef', verb: 'issued by', to: reference('cert-manager.io/Issuer') },

  ...['webhook.urlSecret', 'webhook.signingSecret', 'cloudEvents.urlSecret', 'cloudEvents.signingSecret', 'slack.urlSecret'].map((field): FieldRelation => (
    { of: `${API_GROUP}/${NOTIFICATION_RULE_KIND}`, at: `spec.receivers.*.${field}`, verb: 'reads', to: naming('Secret', 'name') })),
  { of: `${API_GROUP}/${NOTIFICATION_RULE_KIND}`, at: 'spec.receivers.*.email.smtpSecretName', verb: 'reads', to: named('Secret') },

  // Training jobs, queues and gangs
  { of: TRAINING_JOB, at: 'spec.scheduling.queueName', verb: 'waits in', to: named(`${KUEUE}/LocalQueue`), byMade: true },
  { of: TRAINING_JOB, at: 'spec.scheduling.queuePriorityClassName', verb: 'ranked by', to: named(`${KUEUE}/WorkloadPriorityClass`), byMade: true },
  { of: TRAINING_JOB, at: 'spec.checkpoint.claimName', verb: 'mounts', to: named('PersistentVolumeClaim'), byMade: true },
  { of: 'trainer.kubeflow.org/TrainJob', at: 'spec.runtimeRef', verb: 'runs on', to: reference('trainer.kubeflow.org/ClusterTrainingRuntime') },
  { of: `${KUEUE}/LocalQueue`, at: 'spec.clusterQueue', verb: 'part of', to: named(`${KUEUE}/ClusterQueue`) },
  { of: `${KUEUE}/ClusterQueue`, at: 'spec.resourceGroups.*.flavors.*', verb: 'offers', to: naming(`${KUEUE}/ResourceFlavor`, 'name') },
  { of: `${KUEUE}/ClusterQueue`, at: 'spec.cohortName', verb: 'part of', to: named(`${KUEUE}/Cohort`) },
  { of: `${KUEUE}/ClusterQueue`, at: 'spec.cohort', verb: 'part of', to: named(`${KUEUE}/Cohort`) },
  { of: `${KUEUE}/ClusterQueue`, at: 'spec.admissionChecks.*', verb: 'asks', to: named(`${KUEUE}/AdmissionCheck`) },
  { of: `${KUEUE}/ClusterQueue`, at: 'spec.admissionChecksStrategy.admissionChecks.*', verb: 'asks', to: naming(`${KUEUE}/AdmissionCheck`, 'name') },
  { of: `${KUEUE}/Cohort`, at: 'spec.parentName', verb: 'part of', to: named(`${KUEUE}/Cohort`) },
  { of: `${KUEUE}/ResourceFlavor`, at: 'spec.topologyName', verb: 'laid out by', to: named(`${KUEUE}/Topology`) },
  { of: `${KUEUE}/AdmissionCheck`, at: 'spec.parameters', verb: 'set by', to: reference() },
  { of: `${KUEUE}/Workload`, at: 'spec.queueName', verb: 'waits in', to: named(`${KUEUE}/LocalQueue`) },
  { of: `${KUEUE}/Workload`, at: 'spec.priorityClassRef', verb: 'ranked by', to: reference() },
  { of: 'batch.volcano.sh/Job scheduling.volcano.sh/PodGroup', at: 'spec.queue', verb: 'waits in', to: named('scheduling.volcano.sh/Queue') },
  { of: 'scheduling.volcano.sh/Queue', at: 'spec.parent', verb: 'part of', to: named('scheduling.volcano.sh/Queue') },
  { of: 'scheduling.run.ai/Queue', at: 'spec.parentQueue', verb: 'part of', to: named('scheduling.run.ai/Queue') },
  { of: 'scheduling.k8s.io/Workload', at: 'spec.controllerRef', verb: 'stands for', to: reference() },
  { of: 'scheduling.k8s.io/PodGroup', at: 'spec.podGroupTemplateRef.workload.workloadName', verb: 'part of', to: named('scheduling.k8s.io/Workload') },
];

/** The same by the kind of the object; `*` is any other. */
const FIELDS_BY_KIND = new Map<string, FieldRelation[]>([['*', FIELDS.filter(({ of }) => of === '*')]]);
for (const relation of FIELDS.filter(({ of }) => of !== '*')) {
  for (const kind of relation.of.split(' ')) {
    FIELDS_BY_KIND.set(kind, [...FIELDS_BY_KIND.get(kind) ?? FIELDS_BY_KIND.get('*')!, relation]);
  }
}

/** Fields that name others wherever they stand: in pods, in templates of pods, and in custom resources that hold either or are written alike. */
const ANYWHERE: ReadonlyMap<string, { readonly verb: string; readonly to: TargetReader }> = new Map(Object.entries({
  configMap: { verb: 'mounts', to: naming('ConfigMap', 'name') },
  secret: { verb: 'mounts', to: naming('Secret', 'secretName', 'name') },
  persistentVolumeClaim: { verb: 'mounts', to: naming('PersistentVolumeClaim', 'claimName') },
  configMapKeyRef: { verb: 'reads', to: naming('ConfigMap', 'name') },
  configMapRef: { verb: 'reads', to: naming('ConfigMap', 'name') },
  secretKeyRef: { verb: 'reads', to: naming('Secret', 'name') },
  secretRef: { verb: 'reads', to: naming('Secret', 'name') },
  imagePullSecrets: { verb: 'pulls with', to: eachOf(naming('Secret', 'name')) },
  serviceAccountName: { verb: 'runs as', to: account },
  priorityClassName: { verb: 'ranked by', to: named('scheduling.k8s.io/PriorityClass') },
  runtimeClassName: { verb: 'runs by', to: named('node.k8s.io/RuntimeClass') },
  storageClassName: { verb: 'stored by', to: named('storage.k8s.io/StorageClass') },
  resourceClaimName: { verb: 'claims', to: named('resource.k8s.io/ResourceClaim') },
  resourceClaimTemplateName: { verb: 'claims', to: named('resource.k8s.io/ResourceClaimTemplate') },
  podGroupName: { verb: 'member of', to: named('scheduling.k8s.io/PodGroup') },
  'kueue.x-k8s.io/queue-name': { verb: 'waits in', to: named(`${KUEUE}/LocalQueue`) },
  'kueue.x-k8s.io/priority-class': { verb: 'ranked by', to: named(`${KUEUE}/WorkloadPriorityClass`) },
  'scheduling.x-k8s.io/pod-group': { verb: 'member of', to: named('scheduling.x-k8s.io/PodGroup') },
  'scheduling.k8s.io/group-name': { verb: 'member of', to: named('scheduling.volcano.sh/PodGroup') },
  'scheduling.volcano.sh/queue-name': { verb: 'waits in', to: named('scheduling.volcano.sh/Queue') },
  ...Object.fromEntries(STORAGE_SECRET_ANNOTATIONS.map((annotation) => [annotation, { verb: 'reads', to: named('Secret') }])),
  'kai.scheduler/queue': { verb: 'waits in', to: named('scheduling.run.ai/Queue') },
}));

/** All of these fields at once, in JSON: most objects have none of them. */
const ANY_FIELD = anyOf([...ANYWHERE.keys()].map((field) => `"${quotedPattern(field)}":`));

/** KServe's caches name an account of the namespace of its download jobs, which its configuration says. */
const ACCOUNTS_ELSEWHERE = new Set(['serving.kserve.io/LocalModelCache', 'serving.kserve.io/LocalModelNamespaceCache']);

/** What is below these fields selects or describes, and names nothing. */
const NOT_SEARCHED = new Set(['status', 'selector', 'matchLabels', 'podSelector', 'namespaceSelector', 'openAPIV3Schema', 'managedFields']);

/** Something that an object has to do with others. */
export interface Relation {
  readonly verb: string;
  readonly target: Target;
  /** Field that names the other, such as `spec.env[0].valueFrom.secretKeyRef`. */
  readonly path: string;
  readonly value: unknown;
}

/**
 * Relations of an object.
 * @param isUnfolded whether what is made of it is there as well, and has the relations of its pods
 * @param text the object as JSON, where it is at hand
 */
export function relationsOf(object: ManifestObject, isUnfolded: boolean, text?: string): Relation[] {
  const key = keyOf(object);
  const found: Relation[] = [];
  for (const { at, verb, to, byMade = false } of FIELDS_BY_KIND.get(key) ?? FIELDS_BY_KIND.get('*')!) {
    for (const { value, path } of byMade && isUnfolded ? [] : placedAt(object, at)) {
      addTo(found, to(value, object).map((target) => ({ verb, target, path, value })));
    }
  }
  if (!isUnfolded && (text === undefined || ANY_FIELD.test(text))) {
    addRelationsAnywhere(object, found);
  }
  return found;
}

/** Relations by the names of fields, wherever they stand. */
function addRelationsAnywhere(object: ManifestObject, found: Relation[]): void {
  walk(object, undefined, (field, value, above) => {
    const relation = ANYWHERE.get(field);
    if (relation !== undefined) {
      const path = pathText({ above, field, value });
      addTo(found, relation.to(value, object).map((target) => ({ verb: relation.verb, target, path, value })));
    }
  });
}

/** Labels of the pods that an object is or makes, one set for each template; none for what has no pods. */
export function podLabels(object: ManifestObject): Labels[] {
  const templates: Labels[] = [];
  const visit = (candidate: unknown) => {
    if (isRecord(candidate) && isRecord(candidate.spec) && Array.isArray(candidate.spec.containers)) {
      templates.push((isRecord(candidate.metadata) && isRecord(candidate.metadata.labels) ? candidate.metadata.labels : {}) as Labels);
    }
  };
  visit(object);
  walk(object, undefined, (_field, value) => visit(value));
  // Selectors of services rely on what a controller adds.
  const { podLabels: added = [] } = workloadKindOf(object) ?? {};
  const own = Object.fromEntries(added.map((label) => [label, object.metadata?.name ?? '']));
  return added.length === 0 ? templates : (templates.length > 0 ? templates : [{}]).map((labels) => ({ ...labels, ...own }));
}

/** `GROUP/KIND` of an object. */
export function keyOf({ apiVersion = '', kind = '' }: ManifestObject): string {
  return kindKey(groupOf(apiVersion), kind);
}

/** A field or an item, and what contains it. Paths are for the few fields that name something, so they are written when one is asked for. */
interface Place {
  readonly above?: Place;
  readonly field: string;
  readonly value: unknown;
}

/** Visits every field, items of lists under their index. */
function walk(value: unknown, above: Place | undefined, visit: (field: string, value: unknown, above: Place | undefined) => void): void {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const field of Object.keys(value)) {
    if (!NOT_SEARCHED.has(field)) {
      const inner = (value as { readonly [field: string]: unknown })[field];
      visit(field, inner, above);
      if (typeof inner === 'object' && inner !== null) {
        walk(inner, { above, field, value: inner }, visit);
      }
    }
  }
}

/** `spec.env[0].valueFrom`. */
function pathText(place: Place | undefined): string {
  if (place === undefined) {
    return '';
  }
  const above = pathText(place.above);
  return Array.isArray(place.above?.value) ? `${above}[${place.field}]` : above === '' ? place.field : fieldPath(above, place.field);
}

function account(value: unknown, object: ManifestObject): readonly Target[] {
  return ACCOUNTS_ELSEWHERE.has(keyOf(object)) ? [] : named('ServiceAccount')(value, object);
}

function eachOf(reader: TargetReader): TargetReader {
  return (value, object) => (Array.isArray(value) ? value.flatMap((item) => [...reader(item, object)]) : []);
}

function defined(spec: unknown): Target[] {
  const [group] = valuesAt(spec, 'group');
  const [kind] = valuesAt(spec, 'names.kind');
  return typeof group === 'string' && typeof kind === 'string' ? [{ defines: { group, kind } }] : [];
}
