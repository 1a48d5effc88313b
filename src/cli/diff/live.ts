/**
 * Differences between objects and a cluster. A dry run of server-side apply adds defaults and the changes of webhooks, so that only real differences
 * remain.
 */
import { compareObjects, identityOf, oneSided, titleOf, type Comparison, type ObjectChange } from './comparison';
import { Discovery, inParallel } from './discovery';
import { LAST_APPLIED_ANNOTATION } from '../../model/labels';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { ApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import type { ResourceKind } from '../../operator/runtime/resource-kind';
import { isRecord, type JsonRecord } from '../../model/json-parts';

export interface LiveOptions {
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** The field manager. @default - the last one of the object, else kubectl */
  readonly fieldManager?: string;
  /** Objects of an earlier synth. Those that the cluster has and the app no longer has are reported. */
  readonly earlier: readonly ManifestObject[];
}

/** Field managers of tools that apply objects. */
const APPLIERS = ['argocd-controller', 'kustomize-controller', 'helm-controller', 'helm', 'pulumi-kubernetes', 'trainyard'];

const KUBECTL = 'kubectl';

interface LiveObject extends KubeObject {
  readonly metadata?: KubeObject['metadata'] & { readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[] };
}

export async function compareWithCluster(client: KubeClient, objects: readonly ManifestObject[], options: LiveOptions): Promise<Comparison> {
  return new LiveComparison(client, objects, options).run();
}

class LiveComparison {
  private readonly discovery: Discovery;
  /** Kinds and namespaces that the app itself creates. */
  private readonly newKinds: ReadonlySet<string>;
  private readonly newNamespaces: ReadonlySet<string>;

  public constructor(
    private readonly client: KubeClient, private readonly objects: readonly ManifestObject[], private readonly options: LiveOptions,
  ) {
    this.discovery = new Discovery(client);
    this.newKinds = new Set(objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ spec }) => {
      const { group, names } = spec as { readonly group?: string; readonly names?: { readonly kind?: string } };
      return `${group}/${names?.kind}`;
    }));
    this.newNamespaces = new Set(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata?.name ?? ''));
  }

  public async run(): Promise<Comparison> {
    const changes = await inParallel(this.objects, async (object) => this.compare(object));
    const wanted = new Set(this.objects.map((object) => identityOf(object, this.options.namespace)));
    const gone = this.options.earlier.filter((object) => !wanted.has(identityOf(object, this.options.namespace)));
    const removed = await inParallel(gone, async (object) => this.leftBehind(object));
    const found = changes.filter((change) => change !== undefined);
    return { changes: [...found, ...removed.filter((change) => change !== undefined)], same: this.objects.length - found.length };
  }

  private async compare(object: ManifestObject): Promise<ObjectChange | undefined> {
    const kind = await this.discovery.resourceOf(object.apiVersion!, object.kind!);
    if (kind === undefined) {
      const group = object.apiVersion!.split('/')[0];
      return this.newKinds.has(`${group}/${object.kind}`)
        ? oneSided('added', object, titleOf(object), 'its definition is added as well, so the server has not checked it')
        : { kind: 'refused', title: titleOf(object), why: `The cluster has no ${object.kind} of ${object.apiVersion}. Install its definition first.` };
    }
    const namespace = kind.namespaced ? object.metadata?.namespace ?? this.options.namespace : undefined;
    const title = titleOf(object, namespace);
    const live = await this.client.tryGet<LiveObject>(kind, { namespace, name: object.metadata?.name ?? '' });
    try {
      const after = await this.dryRun(kind, namespace, object, live);
      if (live === undefined) {
        return oneSided('added', after as ManifestObject, title);
      }
      const pruned = withoutAbandoned(after as JsonRecord, object as JsonRecord, lastApplied(live));
      return compareObjects(live as unknown as ManifestObject, pruned as ManifestObject, title);
    } catch (error) {
      return this.refusal(error, object, live, namespace, title);
    }
  }

  private async dryRun(kind: ResourceKind, namespace: string | undefined, object: ManifestObject, live: LiveObject | undefined): Promise<KubeObject> {
    const manager = this.options.fieldManager ?? managerOf(live);
    const body = { ...object, metadata: { ...object.metadata, namespace } } as KubeObject;
    return this.client.apply(kind, body, { fieldManager: manager, force: true, dryRun: true, fieldValidation: 'Strict' });
  }

  private refusal(error: unknown, object: ManifestObject, live: LiveObject | undefined, namespace: string | undefined, title: string): ObjectChange {
    // The server answers 500 to a field that its schema does not have.
    const isUnknownField = error instanceof ApiError && /failed to create typed patch object|field not declared in schema/.test(error.serverMessage);
    if (!(error instanceof ApiError) || error.isUnauthorized || (error.status >= 500 && !isUnknownField)) {
      throw error;
    }
    if (error.isNotFound && live === undefined && namespace !== undefined && this.newNamespaces.has(namespace)) {
      return oneSided('added', object, title, 'its namespace is added as well, so the server has not checked it');
    }
    const isFixed = /immutable|cannot change/i.test(error.serverMessage) && !/delete/i.test(error.serverMessage);
    return { kind: 'refused', title, why: `${error.serverMessage}${isFixed ? ' (Replace it: delete the object and apply it again.)' : ''}` };
  }

  private async leftBehind(object: ManifestObject): Promise<ObjectChange | undefined> {
    const kind = await this.discovery.resourceOf(object.apiVersion!, object.kind!);
    const namespace = kind?.namespaced ? object.metadata?.namespace ?? this.options.namespace : undefined;
    const live = kind && await this.client.tryGet<LiveObject>(kind, { namespace, name: object.metadata?.name ?? '' });
    return live && oneSided('removed', live as unknown as ManifestObject, titleOf(object, namespace), 'it stays in the cluster unless it is pruned or deleted');
  }
}

/** The field manager that has applied the object. */
function managerOf(live: LiveObject | undefined): string {
  const entries = live?.metadata?.managedFields ?? [];
  const names = entries.map(({ manager }) => manager ?? '');
  return APPLIERS.find((name) => names.includes(name)) ?? KUBECTL;
}

function lastApplied(live: LiveObject): JsonRecord | undefined {
  const text = live.metadata?.annotations?.[LAST_APPLIED_ANNOTATION];
  return text === undefined ? undefined : JSON.parse(text) as JsonRecord;
}

/**
 * Removes fields that client-side `kubectl apply` would remove: it applied them before, and they are no longer in the object. A dry run of
 * server-side apply keeps them, because another manager owns them.
 */
function withoutAbandoned(after: JsonRecord, wanted: JsonRecord, before: JsonRecord | undefined): JsonRecord {
  return before === undefined ? after : pruned(after, wanted, before, (name) => !['apiVersion', 'kind', 'metadata', 'status'].includes(name), true);
}

/** @param removable which fields of this object may be removed; below it, all may be */
function pruned(
  after: JsonRecord, wanted: JsonRecord, before: JsonRecord, removable: (name: string) => boolean = () => true, isRoot = false,
): JsonRecord {
  return Object.fromEntries(Object.entries(after).flatMap(([name, value]) => {
    const [had, has] = [before[name], wanted[name]];
    if (had !== undefined && had !== null && has === undefined && removable(name)) {
      return [];
    }
    // In metadata, only labels and annotations may be removed.
    const isMetadata = isRoot && name === 'metadata';
    const below = isMetadata ? (field: string) => ['labels', 'annotations'].includes(field) : undefined;
    const given = has ?? (isMetadata ? {} : undefined);
    return [[name, isRecord(value) && isRecord(had) && isRecord(given) ? pruned(value, given, had, below) : value]];
  }));
}
