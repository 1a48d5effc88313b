/**
 * An object that is written out in one walk, where cdk8s shows every value to every resolver and walks up to the app for each value to ask which
 * resolvers there are. What engines render of a job is plain data, so one walk copies, sorts and sees that nothing is left to resolve. Where
 * something is (a `Lazy`, a token of another toolkit), or where the app has resolvers of its own or the object has patches, cdk8s does it all as
 * ever: both ways give the same manifest.
 *
 * Copies of plain data as cdk8s makes them of what it writes: fields sorted by name, those without a value left out.
 */
import {
  ApiObject, App, ImplicitTokenResolver, JsonPatch, Lazy, LazyResolver, NumberStringUnionResolver, type ApiObjectMetadataDefinition,
  type ApiObjectProps,
} from 'cdk8s';
import type { Construct } from 'constructs';
import { ProgramChecks } from '../checks/program-checks';

/** Resolvers that every app has; none of them changes plain data. */
const OWN_RESOLVERS: readonly unknown[] = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver];

/** What was made late of a part of an object, with the copy of it that is written. */
interface LatePart {
  readonly made: unknown;
  readonly copy: unknown;
}

/** See the top of this file. */
export class PlainApiObject extends ApiObject {
  private patched = false;
  private checked?: ReadonlyMap<string, LatePart>;

  /** @param given what cdk8s is given too; a `Lazy` at its top is asked once */
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
    // Whoever asks may change what they get, so it is given away.
    this.checked = undefined;
    return this.tryPlainManifest(checked) ?? super.toJson();
  }

  /**
   * The manifest for those who only look at it. Late parts of it are not copied again for {@link toJson}, unless they are others by then.
   * @internal
   */
  public _lookAtJson(): object {
    const parts = new Map<string, LatePart>();
    const manifest = this.tryPlainManifest(undefined, parts);
    this.checked = manifest && parts;
    return manifest ?? super.toJson();
  }

  /** What cannot be rendered is tried again by cdk8s, whose error says which construct it is. */
  private tryPlainManifest(known?: ReadonlyMap<string, LatePart>, parts?: Map<string, LatePart>): object | undefined {
    try {
      return this.plainManifest(known, parts);
    } catch {
      return undefined;
    }
  }

  /** The manifest, when nothing in it has to be resolved. */
  private plainManifest(known?: ReadonlyMap<string, LatePart>, parts?: Map<string, LatePart>): object | undefined {
    // eslint-disable-next-line no-restricted-properties -- cdk8s' own switch, asked when cdk8s asks for it
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
      // What was given late is asked for here; anything late inside of it is left to cdk8s.
      const value: unknown = given instanceof Lazy ? given.produce() : given;
      const part = known?.get(field);
      const copy = part?.made === value && part !== undefined ? part.copy : sortedCopy(value, 'kept');
      if (copy === NOT_PLAIN) {
        return undefined;
      }
      if (copy !== undefined) {
        manifest[field] = copy;
      }
      if (value !== given) {
        parts?.set(field, { made: value, copy });
      }
    }
    return manifest;
  }
}

/** Stands for a value that cdk8s has to resolve, or to refuse. */
const NOT_PLAIN = Symbol('not plain');

/** What becomes of an empty list or object: objects keep it, their metadata does not. */
type Empties = 'kept' | 'dropped';

/** @returns the copy, undefined where nothing stands, {@link NOT_PLAIN} where cdk8s would do more than copy */
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
  // Also objects of another realm, and those without a prototype, are left to cdk8s.
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

/** Small objects, of which there are most, often are in order. */
function sortedNames(fields: object): readonly string[] {
  const names = Object.keys(fields);
  for (let index = 1; index < names.length; index++) {
    if (names[index - 1] > names[index]) {
      return names.sort();
    }
  }
  return names;
}

/** What cdk8s writes, under its own names. What was given without a field of its own is in `_additionalAttributes`. */
interface KeptMetadata {
  readonly _additionalAttributes: { readonly [field: string]: unknown };
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly labels?: unknown;
  readonly annotations?: unknown;
  readonly finalizers?: unknown;
  readonly ownerReferences?: unknown;
}

/** All that cdk8s keeps: what it writes, and the object that the metadata belongs to. */
const KEPT: readonly string[] = [
  'name', 'labels', 'annotations', 'namespace', 'finalizers', 'ownerReferences', 'apiObject', '_additionalAttributes',
];

/**
 * Metadata of an object in one walk. cdk8s shows what was added to metadata (labels, annotations, owners) only when all of it is written, and that
 * shows each value to each resolver. So what it keeps is read where it is kept, as long as it keeps exactly what is known here; a version of cdk8s
 * that keeps anything else writes its metadata itself.
 * @returns the metadata, or {@link NOT_PLAIN} where only cdk8s can tell
 */
function plainMetadata(metadata: ApiObjectMetadataDefinition): unknown {
  if (Object.keys(metadata).length !== KEPT.length || !KEPT.every((field) => field in metadata)) {
    return NOT_PLAIN;
  }
  const { _additionalAttributes: further, name, namespace, labels, annotations, finalizers, ownerReferences } = metadata as unknown as KeptMetadata;
  const written: { [field: string]: unknown } = { annotations, finalizers, labels, name, namespace, ownerReferences };
  for (const field of Object.keys(further)) {
    // Mostly the same fields once more, as they were given.
    if (!Object.hasOwn(written, field)) {
      written[field] = further[field];
    }
  }
  return sortedCopy(written, 'dropped');
}
