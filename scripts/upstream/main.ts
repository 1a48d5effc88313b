/**
 * Writes the schemas of `upstream/` from the archives that upstream systems publish: `npm run upstream`.
 *   --check        writes nothing, and exits with 1 when what is committed is not what the archives have
 *   --from FOLDER  definitions for archives that this machine cannot reach: a folder NAME-VERSION of YAML files per system
 * A system that can be read nowhere stays as it is committed, and is named.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readSystem, WrongArchiveError, type ReadSystem } from './archives';
import { digestOf } from './facts';
import { differences, upstreamFiles, writeFiles } from './files';
import { SOURCES, type UpstreamSource } from './sources';
import { UpstreamSchemas } from '../../src/cli/crd/upstream/upstream-schemas';

const FOLDER = path.join(__dirname, '..', '..', 'upstream');

const { values: { check, from } } = parseArgs({ options: { check: { type: 'boolean', default: false }, from: { type: 'string', multiple: true, default: [] } } });
const committed = UpstreamSchemas.of(FOLDER);
const changed: string[] = [];
const unread: string[] = [];

const files = upstreamFiles(SOURCES.map((source) => ({ ...source, ...readOrKeep(source) })));
if (unread.length > 0) {
  console.warn(`upstream: ${unread.length} systems were not compared with what is published: ${unread.join(', ')}.`);
}
if (check) {
  const stale = differences(FOLDER, files);
  console.log(changed.length > 0 ? `upstream: other facts are published of ${changed.join(', ')}. Run npm run upstream.`
    : stale.length > 0 ? `upstream: written by another version of the script: ${stale.join(', ')}. Run npm run upstream.`
      : `upstream: ${SOURCES.length - unread.length} systems are what is published.`);
  process.exitCode = changed.length > 0 || stale.length > 0 ? 1 : 0;
} else {
  writeFiles(FOLDER, files);
  const bytes = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  console.log(`upstream: ${SOURCES.length} systems, ${(bytes / 1024).toFixed(0)} KiB in ${files.size} files. ${changed.length === 0 ? 'Nothing has changed.' : `Changed: ${changed.join(', ')}.`}`);
}

function readOrKeep(source: UpstreamSource): ReadSystem {
  const name = `${source.system} ${source.version}`;
  const kept = committed.facts(source.system, source.version);
  try {
    const read = readSystem(source, from);
    if (kept !== undefined && digestOf(read.kinds) === digestOf(kept.kinds)) {
      // To have read the same once more, by whatever way, changes nothing.
      return kept;
    }
    changed.push(name);
    return read;
  } catch (error) {
    if (kept === undefined || error instanceof WrongArchiveError) {
      throw error;
    }
    unread.push(name);
    console.warn(`${name}: ${(error as Error).message.trim().split('\n')[0].slice(0, 200)}`);
    return kept;
  }
}
