/**
 * An object that is rendered in one walk, while cdk8s passes every value to every resolver, which it looks up at the app for each value. Engines
 * render plain data, so one walk copies, sorts and finds that nothing is left to resolve. If something is (a `Lazy`, a token of another toolkit), or
 * if the app has its own resolvers or the object has patches, cdk8s renders the object. Both ways give the same manifest.
 *
 * As in cdk8s, fields are sorted by name, and those without a value are left out.
 */
import {
  ApiObject, App, ImplicitTokenResolver, JsonPatch, Lazy, LazyResolver, NumberStringUnionResolver, type ApiObjectMetadataDefinition,
  type ApiObjectProps,
} from 'cdk8s';
import type { Construct } from 'constructs';
import { ProgramChecks } from '../checks/program-checks';
import type { Manifest } from '../../manifests/kubernetes';

/** Resolvers that every app has. None of them changes plain data. */
const OWN_RESOLVERS: readonly unknown[] = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver];

/** The value of a `Lazy` field, and its copy in the manifest. */
interface LatePart {
  readonly value: unknown;
  readonly copy: unknown;
}

/** See the top of this file. */
export class PlainApiObject extends ApiObject {
  private patched = false;
  private checked?: ReadonlyMap<string, LatePart>;

  /** @param given properties, as for cdk8s; a top-level `Lazy` is evaluated once */
  public constructor(scope: Construct, id: string, private readonly given: ApiObjectProps & { readonly [field: string]: unknown }) {
    super(scope, id, given);
    ProgramChecks.of(this);
  }

  public addJsonPatch(...ops: JsonPatch[]): void {
    this.patched = true;
    super.addJsonPatch(...ops);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as cdk8s declares it, and jsii wants the same
  public toJson(): any {
    const { checked } = this;
    // Callers may change the result, so it is not used twice.
    this.checked = undefined;
    return this.tryPlainManifest(checked) ?? super.toJson();
  }

  /**
   * The manifest for callers that only read it. {@link toJson} reuses the copies of its `Lazy` fields, unless their values have changed.
   * @internal
   */
  public _lookAtJson(): object {
    const parts = new Map<string, LatePart>();
    const manifest = this.tryPlainManifest(undefined, parts);
    this.checked = manifest && parts;
    return manifest ?? super.toJson();
  }

  /** If rendering fails, cdk8s renders again, because its error names the construct. */
  private tryPlainManifest(known?: ReadonlyMap<string, LatePart>, parts?: Map<string, LatePart>): object | undefined {
    try {
      return this.plainManifest(known, parts);
    } catch {
      return undefined;
    }
  }

  /** The manifest, if nothing in it must be resolved. */
  private plainManifest(known?: ReadonlyMap<string, LatePart>, parts?: Map<string, LatePart>): object | undefined {
    // eslint-disable-next-line no-restricted-properties -- cdk8s' own switch, read when cdk8s reads it
    if (this.patched || process.env.CDK8S_DISABLE_SORT || !App.of(this).resolvers.every((resolver) => OWN_RESOLVERS.includes(resolver.constructor))) {
      return undefined;
    }
    const metadata = plainMetadata(this.metadata);
    if (metadata === NOT_PLAIN) {
      return undefined;
    }
    const manifest: { [field: string]: unknown } = { apiVersion: this.apiVersion, kind: this.kind, metadata };
    for (const field of sortedNames(this.given)) {
      if (field === 'apiVersion' || field === 'kind' || field === 'metadata') {
        continue;
      }
      const given = this.given[field];
      // Only top-level `Lazy` fields are evaluated here; nested ones are left to cdk8s.
      const value: unknown = given instanceof Lazy ? given.produce() : given;
      const part = known?.get(field);
      const copy = part !== undefined && part.value === value ? part.copy : sortedCopy(value, 'kept');
      if (copy === NOT_PLAIN) {
        return undefined;
      }
      if (copy !== undefined) {
        manifest[field] = copy;
      }
      if (value !== given) {
        parts?.set(field, { value, copy });
      }
    }
    return manifest;
  }
}

/** Marks a value that cdk8s must resolve, or reject. */
const NOT_PLAIN = Symbol('not plain');

/** What happens to an empty list or object: objects keep it, their metadata does not. */
type Empties = 'kept' | 'dropped';

/** @returns the copy, undefined without a value, {@link NOT_PLAIN} if cdk8s would do more than copy */
function sortedCopy(value: unknown, empties: Empties): unknown {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (typeof value !== 'object') {
    return typeof value === 'function' || typeof value === 'symbol' ? NOT_PLAIN : value;
  }
  if (Array.isArray(value)) {
    return copyOfList(value, empties);
  }
  // Objects of another realm, and those without a prototype, are left to cdk8s too.
  return value.constructor === Object ? copyOfObject(value as { readonly [field: string]: unknown }, empties) : NOT_PLAIN;
}

function copyOfList(list: readonly unknown[], empties: Empties): unknown {
  if (list.length === 0 && empties === 'dropped') {
    return undefined;
  }
  const copy: unknown[] = [];
  for (const entry of list) {
    const plain = sortedCopy(entry, empties);
    if (plain === NOT_PLAIN) {
      return NOT_PLAIN;
    }
    copy.push(plain);
  }
  return copy;
}

function copyOfObject(fields: { readonly [field: string]: unknown }, empties: Empties): unknown {
  const copy: { [field: string]: unknown } = {};
  let isEmpty = true;
  for (const name of sortedNames(fields)) {
    const plain = sortedCopy(fields[name], empties);
    if (plain === NOT_PLAIN) {
      return NOT_PLAIN;
    }
    if (plain !== undefined) {
      copy[name] = plain;
      isEmpty = false;
    }
  }
  return isEmpty && empties === 'dropped' ? undefined : copy;
}

/** Most objects are small, and often already sorted. */
function sortedNames(fields: object): readonly string[] {
  const names = Object.keys(fields);
  for (let index = 1; index < names.length; index++) {
    if (names[index - 1] > names[index]) {
      return names.sort();
    }
  }
  return names;
}

/** Metadata that cdk8s writes, with its own field names. Other fields are in `_additionalAttributes`. */
interface KeptMetadata {
  readonly _additionalAttributes: { readonly [field: string]: unknown };
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly labels?: unknown;
  readonly annotations?: unknown;
  readonly finalizers?: unknown;
  readonly ownerReferences?: unknown;
}

/** All fields of cdk8s' metadata object: what it writes, and the object that the metadata belongs to. */
const KEPT: readonly string[] = [
  'name', 'labels', 'annotations', 'namespace', 'finalizers', 'ownerReferences', 'apiObject', '_additionalAttributes',
];

/**
 * Metadata of an object in one walk. cdk8s only exposes added metadata (labels, annotations, owners) by rendering all of it, which passes each value
 * to each resolver. Its private fields are read instead, but only if they are exactly the known ones: another version of cdk8s renders its metadata
 * itself.
 * @returns the metadata, or {@link NOT_PLAIN} if cdk8s must render it
 */
function plainMetadata(metadata: ApiObjectMetadataDefinition): unknown {
  if (Object.keys(metadata).length !== KEPT.length || !KEPT.every((field) => field in metadata)) {
    return NOT_PLAIN;
  }
  const { _additionalAttributes: further, name, namespace, labels, annotations, finalizers, ownerReferences } = metadata as unknown as KeptMetadata;
  const written: { [field: string]: unknown } = { annotations, finalizers, labels, name, namespace, ownerReferences };
  for (const field of Object.keys(further)) {
    // Most of them repeat the fields above, as given.
    if (!Object.hasOwn(written, field)) {
      written[field] = further[field];
    }
  }
  return sortedCopy(written, 'dropped');
}

/** Adds objects, each under its kind. @param manifests with no other metadata than a name and a namespace */
export function addManifests(scope: Construct, manifests: readonly Manifest[]): void {
  for (const { apiVersion, kind, metadata: { name, namespace }, ...body } of manifests) {
    new PlainApiObject(scope, kind, { apiVersion, kind, metadata: { name, namespace }, ...body });
  }
}
