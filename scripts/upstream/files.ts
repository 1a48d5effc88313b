/** The files of `upstream/`: a line a kind and a line a part, so that a difference shows what has changed. */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compact } from './compact';
import { digestOf, inOrder } from './facts';
import type { UpstreamSource } from './sources';
import type { ReadSystem } from './archives';
import { systemFileName, type SystemEntry } from '../../src/cli/crd/upstream/compact-format';

/** A system, and what was read of it. */
export type SystemFacts = UpstreamSource & ReadSystem;

/** All files by name. */
export function upstreamFiles(systems: readonly SystemFacts[]): ReadonlyMap<string, string> {
  const inNameOrder = [...systems].sort((one, other) => (one.system < other.system ? -1 : 1));
  const { systems: files, shared } = compact(new Map(inNameOrder.map((system) => [systemFileName(system), inOrder(system.kinds)])));
  return new Map([
    ['index.json', `{"systems":${list(inNameOrder.map(entryOf))}}\n`],
    ['shared.json', `${table(shared)}\n`],
    ...[...files].map(([name, { kinds, parts }]) => [`${name}.json`, `{"kinds":${list(kinds)},"parts":${table(parts)}}\n`] as const),
  ]);
}

/** Writes them, and removes those of systems and versions that are gone. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  readdirSync(folder).filter((name) => name.endsWith('.json') && !files.has(name)).forEach((name) => rmSync(path.join(folder, name)));
  files.forEach((text, name) => writeFileSync(path.join(folder, name), text));
}

/** Names of files that are not what they should be. */
export function differences(folder: string, files: ReadonlyMap<string, string>): string[] {
  const there = new Map(readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  return [...new Set([...there.keys(), ...files.keys()])].filter((name) => there.get(name) !== files.get(name)).sort();
}

/** The line of the index. */
export function entryOf({ system, version, archive, readFrom, kinds }: SystemFacts): SystemEntry {
  const groups: { [group: string]: string[] } = {};
  for (const { group, kind } of inOrder(kinds)) {
    groups[group] = [...new Set([...groups[group] ?? [], kind])];
  }
  return { system, version, archive, readFrom, facts: digestOf(kinds), kinds: groups };
}

function list(entries: readonly unknown[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}

function table(entries: object): string {
  const lines = Object.entries(entries).map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
}
