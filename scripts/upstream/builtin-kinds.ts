/**
 * The facts of Kubernetes' own kinds, from the OpenAPI documents of its release. They say less than definitions do, and some things differently from
 * what an API server does, so only that is kept which it would hold against an object: fields, types, formats, and what has to be there.
 */
import { mapSchemas } from '../../src/cli/crd/upstream/upstream-schemas';
import { schemaFacts } from './facts';
import type { KindFacts } from '../../src/cli/crd/upstream/compact-format';
import type { StructuralSchema } from '../../src/cli/crd/structural-schema';

/** A document of OpenAPI, as much of it as is read. */
export interface OpenApi {
  readonly paths: { readonly [path: string]: { readonly post?: { readonly 'x-kubernetes-action'?: string; readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind } } };
  readonly components: { readonly schemas: { readonly [name: string]: OpenApiSchema } };
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type OpenApiSchema = StructuralSchema & { readonly '$ref'?: string; readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[] };

/** Anything: of raw objects, of JSON, and where a schema holds itself, as that of definitions does. */
const ANYTHING: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/**
 * What an API server requires, by type. The documents also list fields that Go only writes when they are empty, such as the rules of a Role.
 */
const REQUIRED: { readonly [type: string]: readonly string[] } = {
  ClusterRoleBinding: ['roleRef'], ConfigMapKeySelector: ['key'], Container: ['name'], ContainerPort: ['containerPort'], CronJobSpec: ['schedule', 'jobTemplate'],
  CrossVersionObjectReference: ['kind', 'name'], CSIVolumeSource: ['driver'], DaemonSetSpec: ['selector', 'template'], DeploymentSpec: ['selector', 'template'],
  EnvVar: ['name'], HorizontalPodAutoscalerSpec: ['scaleTargetRef', 'maxReplicas'], HTTPGetAction: ['port'], HTTPIngressPath: ['pathType', 'backend'], JobSpec: ['template'],
  KeyToPath: ['key', 'path'], LabelSelectorRequirement: ['key', 'operator'], NodeSelectorRequirement: ['key', 'operator'], ObjectFieldSelector: ['fieldPath'],
  PersistentVolumeClaimVolumeSource: ['claimName'], PodAffinityTerm: ['topologyKey'], PodSpec: ['containers'], ReplicaSetSpec: ['selector'], RoleBinding: ['roleRef'],
  RoleRef: ['kind', 'name'], SecretKeySelector: ['key'], ServicePort: ['port'], StatefulSetSpec: ['selector', 'template'], StorageClass: ['provisioner'],
  TCPSocketAction: ['port'], TopologySpreadConstraint: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'], Volume: ['name'], VolumeMount: ['name', 'mountPath'],
};

/** Kinds of documents, one of each group and version, that objects can be created of. */
export function builtinFacts(documents: readonly OpenApi[]): KindFacts[] {
  const kinds = new Map<string, KindFacts>();
  for (const { paths, components: { schemas } } of documents) {
    const reader = new SchemaReader(schemas);
    for (const [path, { post }] of Object.entries(paths)) {
      const { group, version, kind } = post?.['x-kubernetes-group-version-kind'] ?? { group: '', version: '', kind: '' };
      const [, plural] = /^\/apis?\/[^{]*(?:\{namespace\}\/)?([a-z]+)$/.exec(path) ?? [];
      const isKind = (own: GroupVersionKind) => own.group === group && own.version === version && own.kind === kind;
      const name = Object.keys(schemas).find((each) => schemas[each]['x-kubernetes-group-version-kind']?.some(isKind));
      if (post?.['x-kubernetes-action'] !== 'post' || plural === undefined || name === undefined) {
        continue;
      }
      const key = `${group}/${kind}`;
      const known = kinds.get(key)?.versions.filter((each) => each.name !== version) ?? [];
      kinds.set(key, {
        group, kind, plural, scope: path.includes('{namespace}') || kinds.get(key)?.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
        versions: [...known, { name: version, served: true, storage: known.length === 0, schema: reader.read(name) }],
      });
    }
  }
  return [...kinds.values()];
}

class SchemaReader {
  private readonly known = new Map<string, StructuralSchema>();

  public constructor(private readonly schemas: OpenApi['components']['schemas']) {}

  /** The facts of a type. */
  public read(name: string): StructuralSchema {
    const known = this.known.get(name);
    if (known !== undefined) {
      return known;
    }
    // Until it is known: whoever asks for it meanwhile is part of it.
    this.known.set(name, ANYTHING);
    const required = REQUIRED[name.split('.').at(-1)!];
    const facts = this.convert(this.schemas[name], required);
    this.known.set(name, facts);
    return facts;
  }

  private convert(schema: OpenApiSchema, required?: readonly string[]): StructuralSchema {
    const reference = schema.$ref ?? (schema.allOf as readonly OpenApiSchema[] | undefined)?.[0].$ref;
    if (reference !== undefined) {
      return this.read(reference.split('/').at(-1)!);
    }
    if (schema.format === 'int-or-string') {
      return { 'x-kubernetes-int-or-string': true };
    }
    const isOpen = schema.properties === undefined && schema.additionalProperties === undefined && schema.oneOf === undefined;
    if (isOpen && (schema.type === undefined || schema.type === 'object')) {
      return schema.type === undefined ? ANYTHING : { ...ANYTHING, type: 'object' };
    }
    const { type, format, properties, items, additionalProperties, oneOf } = schema;
    return schemaFacts(mapSchemas({
      ...(type !== undefined && { type }),
      ...(format !== undefined && { format }),
      ...(required !== undefined && { required }),
      ...(properties !== undefined && { properties }),
      ...(items !== undefined && { items }),
      ...(additionalProperties !== undefined && { additionalProperties }),
      ...(oneOf !== undefined && { oneOf }),
    }, (inner) => this.convert(inner)));
  }
}
