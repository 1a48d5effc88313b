/**
 * Definitions of upstream systems, for tests. Those that somebody has fetched are preferred. Where there are none, they are made of the facts in
 * `upstream/`, so that no test goes without.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import { definitionOf } from '../../scripts/upstream/definitions';
import { KUBERNETES } from '../../scripts/upstream/sources';
import { systemFileName } from '../../src/cli/crd/upstream/compact-format';
import { UpstreamSchemas } from '../../src/cli/crd/upstream/upstream-schemas';
import { cacheFolder } from '../../src/local/cache-folder';

/** CustomResourceDefinitions of one upstream system. */
export interface UpstreamCrds {
  /** Name and version of the system, such as `jobset-v0.12.0`. */
  readonly system: string;
  /** A file PLURAL.GROUP.yaml a kind. */
  readonly files: readonly string[];
}

const SCRIPT = path.join(__dirname, '..', '..', 'scripts', 'upstream', 'definitions.ts');

/** Fetched definitions, which stand beside the repository. */
const FETCHED = path.join(__dirname, '..', '..', '..', 'shared', 'crds');

/** In which form definitions are written: the level of YAML from which on schemas stand in one line, which is half of the text. */
const FORM = { noRefs: true, lineWidth: -1, flowLevel: 5 };

/**
 * The upstream CRDs: those of the folder `TRAINYARD_CRDS`, else of `../shared/crds` beside the repository, else those that the facts in `upstream/`
 * make, also where `TRAINYARD_CRDS` is set and empty.
 *
 * @throws Error when TRAINYARD_CRDS is set to something that is no folder
 */
export function readUpstreamCrds(env: NodeJS.ProcessEnv = process.env, fetched = FETCHED): UpstreamCrds[] {
  const { TRAINYARD_CRDS: named } = env;
  if (named && !existsSync(named)) {
    throw new Error(`TRAINYARD_CRDS is "${named}", which does not exist. Set it to a folder with one sub-folder of YAML files per system.`);
  }
  const given = named ?? (existsSync(fetched) ? fetched : '');
  const folder = given === '' ? writeDefinitions(UpstreamSchemas.packaged(), path.join(cacheFolder(env), 'upstream')) : given;
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ system: name, files: yamlFiles(path.join(folder, name)) }))
    .sort((one, other) => one.system < other.system ? -1 : 1);
}

/**
 * Files with the definitions of systems.
 * @param systems by their names, such as `jobset`
 * @throws Error for a system that has none, as in a folder of few
 */
export function upstreamCrds(...systems: string[]): string[] {
  const all = readUpstreamCrds();
  return systems.flatMap((name) => {
    const found = all.find(({ system }) => new RegExp(`^${name}-v?\\d`).test(system));
    if (found === undefined) {
      throw new Error(`There are no definitions of ${name}, only of ${all.map(({ system }) => system).join(', ')}. Add them to the folder of TRAINYARD_CRDS, or unset it.`);
    }
    return found.files;
  });
}

/**
 * Writes the definitions that facts make, once: later calls find them.
 * @param parent gets a folder for these facts
 * @returns a folder NAME-VERSION of YAML files per system
 */
export function writeDefinitions(schemas: UpstreamSchemas, parent: string): string {
  const systems = schemas.entries.filter(({ system }) => system !== KUBERNETES);
  const made = createHash('sha256').update(JSON.stringify([systems, FORM])).update(readFileSync(SCRIPT)).digest('hex').slice(0, 16);
  const folder = path.join(parent, made);
  if (existsSync(folder)) {
    return folder;
  }
  mkdirSync(parent, { recursive: true });
  const draft = mkdtempSync(path.join(parent, 'draft-'));
  for (const entry of systems) {
    mkdirSync(path.join(draft, systemFileName(entry)));
    for (const definition of schemas.kindsOf(entry).map(definitionOf)) {
      writeFileSync(path.join(draft, systemFileName(entry), `${definition.metadata.name}.yaml`), dump(definition, FORM));
    }
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster, with the same.
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) {
      throw error;
    }
  }
  return folder;
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort().map((name) => path.join(folder, name));
}
