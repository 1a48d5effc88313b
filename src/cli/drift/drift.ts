/** Finds manual changes: compares committed files with those that the program writes now. */
import { compareSets, identityOf, titleOf, type Comparison } from '../diff/comparison';
import { readNamedManifests } from '../read-manifests';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { isManifest } from '../synth-app';

export interface DriftFile {
  /** Path below the folder. */
  readonly name: string;
  readonly text: string;
}

export type FileDrift =
  /** Its objects differ. */
  | { readonly kind: 'edited'; readonly file: string; readonly comparison: Comparison }
  /** Only its text differs: a comment, another order. */
  | { readonly kind: 'text'; readonly file: string; readonly line: number; readonly lines?: { readonly committed: string; readonly written: string } }
  /** It is not a manifest. */
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string }
  /** Only the program has it. */
  | { readonly kind: 'missing'; readonly file: string; readonly objects: readonly string[] }
  /** The program does not write it. */
  | { readonly kind: 'left-over'; readonly file: string; readonly objects: readonly string[] };

export interface Drift {
  readonly files: readonly FileDrift[];
  readonly same: number;
}

/** @param committed all files of the folder; files that are no manifests and that the program does not write are ignored */
export function findDrift(committed: readonly DriftFile[], written: readonly DriftFile[]): Drift {
  const before = new Map(committed.map((file) => [file.name, file.text]));
  const after = new Map(written.map((file) => [file.name, file.text]));
  const differing = written.flatMap(({ name, text }) => {
    const earlier = before.get(name);
    return earlier === undefined ? [{ kind: 'missing' as const, file: name, objects: titlesIn(name, text) }] : fileDrift(name, earlier, text);
  });
  const leftOver = committed.filter(({ name }) => isManifest(name) && !after.has(name))
    .map(({ name, text }): FileDrift => ({ kind: 'left-over', file: name, objects: titlesIn(name, text) }));
  return { files: [...differing, ...leftOver], same: written.length - differing.length };
}

function fileDrift(file: string, committed: string, written: string): FileDrift[] {
  // Git may have changed line breaks.
  const [one, other] = [committed, written].map((text) => text.replace(/\r\n/g, '\n'));
  if (one === other) {
    return [];
  }
  if (!isManifest(file)) {
    return [textDrift(file, one, other, true)];
  }
  let before: readonly ManifestObject[];
  try {
    before = objectsIn(file, one);
  } catch (error) {
    return [{ kind: 'unreadable', file, why: (error as Error).message }];
  }
  const after = objectsIn(file, other);
  const comparison = compareSets(before, after);
  // A written status, or a repeated object, is not a difference between sets. Lines with Secrets are not shown.
  return comparison.changes.length > 0 ? [{ kind: 'edited', file, comparison: withTwins(comparison, before) }]
    : [textDrift(file, one, other, ![...before, ...after].some(({ kind }) => kind === 'Secret'))];
}

/** Objects that are in a file twice: the last one is compared, and the others are reported. */
function withTwins(comparison: Comparison, objects: readonly ManifestObject[]): Comparison {
  const ids = objects.map((object) => identityOf(object));
  const twins = objects.filter((_object, index) => ids.indexOf(ids[index]) !== index);
  return twins.length === 0 ? comparison : {
    ...comparison,
    changes: [...comparison.changes, ...twins.map((object) => ({ kind: 'refused' as const, title: titleOf(object), why: 'It is in the file more than once.' }))],
  };
}

function textDrift(file: string, committed: string, written: string, isShown: boolean): FileDrift {
  const [one, other] = [committed.split('\n'), written.split('\n')];
  const index = one.findIndex((line, at) => line !== other[at]);
  const at = index < 0 ? one.length : index;
  return { kind: 'text', file, line: at + 1, lines: isShown ? { committed: one[at] ?? '', written: other[at] ?? '' } : undefined };
}

function titlesIn(file: string, text: string): string[] {
  try {
    return objectsIn(file, text).map((object) => titleOf(object));
  } catch {
    return [];
  }
}

function objectsIn(file: string, text: string): readonly ManifestObject[] {
  return isManifest(file) ? readNamedManifests(text, file).map(({ object }) => object) : [];
}
