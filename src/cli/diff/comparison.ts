/** What a set of objects changes about another one. */
import { changesBetween, type FieldChange } from './changes';
import { identityOf, titleOf, withMaskedSecrets, withoutNoise } from './objects';
import { replacementsBy } from './replacements';
import type { ManifestObject } from '../../model/objects/manifest-object';

/** One object that differs, or that could not be compared. */
export type ObjectChange = Change & {
  /** Of programs with environments: the folder of its own, which the title begins with. */
  readonly environment?: string;
};

type Change =
  | { readonly kind: 'added'; readonly title: string; readonly object: ManifestObject; readonly note?: string }
  | { readonly kind: 'removed'; readonly title: string; readonly object: ManifestObject; readonly note?: string }
  | { readonly kind: 'changed'; readonly title: string; readonly fields: readonly FieldChange[]; readonly note?: string; readonly replaced?: readonly string[] }
  | { readonly kind: 'refused'; readonly title: string; readonly why: string };

/** All differences, and how many objects are the same. */
export interface Comparison {
  readonly changes: readonly ObjectChange[];
  readonly same: number;
}

/** Compares two objects that are one; undefined when they are the same. */
export function compareObjects(before: ManifestObject, after: ManifestObject, title: string, note?: string): ObjectChange | undefined {
  const clean = (object: ManifestObject) => withMaskedSecrets(withoutNoise(object));
  const fields = changesBetween(clean(before), clean(after));
  if (fields.length === 0) {
    return undefined;
  }
  const replaced = replacementsBy(before, after);
  return { kind: 'changed', title, fields, note, ...(replaced.length > 0 && { replaced }) };
}

/** An object that is only on one side. */
export function oneSided(kind: 'added' | 'removed', object: ManifestObject, title: string, note?: string): ObjectChange {
  return { kind, title, object: withMaskedSecrets(withoutNoise(object)), note };
}

/** Compares two sets of manifests. */
export function compareSets(before: readonly ManifestObject[], after: readonly ManifestObject[]): Comparison {
  const old = new Map(before.map((object) => [identityOf(object), object]));
  const fresh = new Set(after.map((object) => identityOf(object)));
  const changes: ObjectChange[] = [];
  for (const object of after) {
    const earlier = old.get(identityOf(object));
    const change = earlier === undefined ? oneSided('added', object, titleOf(object)) : compareObjects(earlier, object, titleOf(object));
    changes.push(...(change === undefined ? [] : [change]));
  }
  const gone = before.filter((object) => !fresh.has(identityOf(object)));
  return {
    changes: [...changes, ...gone.map((object) => oneSided('removed', object, titleOf(object)))],
    same: after.length - changes.length,
  };
}
