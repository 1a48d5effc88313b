/**
 * Schemas of kinds: from CustomResourceDefinitions in files and folders, and from those that are packaged with Trainyard. Definitions are large and a
 * folder may have hundreds, so a file is parsed when one of its kinds is needed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import type { StructuralSchema } from './structural-schema';
import type { KindFacts } from './upstream/compact-format';
import { UpstreamSchemas } from './upstream/upstream-schemas';
import { CliError } from '../cli-error';
import { constructNotificationRuleCrd } from '../../manifests/notifications/definition';
import { isRecord } from '../../model/json-parts';
import { groupOf, isBuiltinGroup } from '../../model/objects/builtin-kinds';
import { didYouMean } from '../../model/violations';
import { entryFor } from '../../model/lists';

export interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly schema: StructuralSchema;
}

export type KindLookup =
  | { readonly found: KindVersion }
  /** The kind has these versions only; `release` is that of the system, if it is known. */
  | { readonly otherVersions: readonly string[]; readonly release?: string }
  | { readonly unknown: true };

interface DefinitionFile {
  readonly name: string;
  readonly text: string;
}

interface Definition {
  readonly spec?: {
    readonly group?: string;
    readonly scope?: string;
    readonly names?: { readonly kind?: string };
    readonly versions?: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

/** Our own definitions, without the training job, which has rules beyond its schema. */
const OWN = [constructNotificationRuleCrd() as Definition];

export class Definitions {
  /** Only the packaged definitions. */
  public static readonly PACKAGED = new Definitions([]);

  private readonly parsed = new Map<DefinitionFile, readonly Definition[]>();

  private constructor(private readonly files: readonly DefinitionFile[]) {}

  /**
   * Reads files, and all YAML and JSON files below folders.
   * @throws CliError for a place that does not exist, or holds no definition
   */
  public static read(places: readonly string[]): Definitions {
    const files = places.flatMap((place) => {
      if (!fs.existsSync(place)) {
        const folder = path.dirname(place);
        throw new CliError(`--crds ${place}: there is no such file or folder.${didYouMean(path.basename(place), fs.existsSync(folder) ? fs.readdirSync(folder) : [])}`);
      }
      const found = filesOf(place).map((name) => ({ name, text: fs.readFileSync(name, 'utf8') })).filter(({ text }) => text.includes('CustomResourceDefinition'));
      if (found.length === 0) {
        throw new CliError(`--crds ${place}: it has no CustomResourceDefinition. Use a file with one, or a folder of such files.`);
      }
      return found;
    });
    return new Definitions(files);
  }

  /** Looks for a version of a kind. */
  public lookup(apiVersion: string, kind: string): KindLookup {
    const group = groupOf(apiVersion);
    // Kubernetes' own groups have no definitions. A cluster has one release of a system, so given definitions replace packaged ones.
    const given = isBuiltinGroup(group) ? [] : this.givenVersions(group, kind);
    const known = given.length > 0 ? given : servedVersions(OWN, group, kind);
    const packaged = known.length > 0 ? [] : this.packaged.find(group, kind);
    const versions = known.length > 0 ? known : packaged.flatMap(({ facts }) => versionsOf(facts));
    const found = versions.find((candidate) => candidate.apiVersion === apiVersion);
    if (found !== undefined) {
      return { found };
    }
    if (versions.length === 0) {
      return { unknown: true };
    }
    const releases = packaged.map(({ system }) => `${system.system} ${system.version}`).join(' or ');
    return { otherVersions: versions.map((candidate) => candidate.apiVersion), ...(releases !== '' && { release: releases }) };
  }

  /** All apiVersions that have a kind of this name. */
  public apiVersionsOf(kind: string): readonly string[] {
    const groups = unique(this.definitionsWith(kind).filter(({ spec }) => spec?.names?.kind === kind).map(({ spec }) => spec?.group));
    const given = groups.flatMap((group) => this.givenVersions(group, kind));
    const packaged = this.packaged.groupsOf(kind).filter((group) => !groups.includes(group))
      .flatMap((group) => this.packaged.find(group, kind).flatMap(({ facts }) => versionsOf(facts)));
    return unique([...given, ...packaged].map(({ apiVersion }) => apiVersion));
  }

  public kindsOfGroup(group: string): readonly string[] {
    return unique([
      ...this.definitionsWith(group).filter(({ spec }) => spec?.group === group).map(({ spec }) => spec?.names?.kind),
      ...this.packaged.kindsOfGroup(group),
    ]);
  }

  private get packaged(): UpstreamSchemas {
    return UpstreamSchemas.packaged();
  }

  private givenVersions(group: string, kind: string): KindVersion[] {
    return servedVersions(this.definitionsWith(kind), group, kind);
  }

  /** Definitions in the files that contain a word. */
  private definitionsWith(word: string): readonly Definition[] {
    return this.files.filter(({ text }) => text.includes(word)).flatMap((file) => entryFor(this.parsed, file, () => definitionsOf(file)));
  }
}

/** The versions of a kind that its system serves. */
function versionsOf({ group, kind, scope, versions }: KindFacts): KindVersion[] {
  return versions.filter(({ served }) => served)
    .map(({ name, schema }) => ({ apiVersion: group === '' ? name : `${group}/${name}`, kind, namespaced: scope === 'Namespaced', schema }));
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}

function filesOf(place: string): string[] {
  if (!fs.statSync(place).isDirectory()) {
    return [place];
  }
  return fs.readdirSync(place, { recursive: true }).map(String).filter((name) => /\.(ya?ml|json)$/.test(name)).sort().map((name) => path.join(place, name))
    .filter((name) => fs.statSync(name).isFile());
}

function definitionsOf({ name, text }: DefinitionFile): readonly Definition[] {
  let documents: unknown[];
  try {
    documents = loadAll(text) as unknown[];
  } catch (error) {
    throw new CliError(`--crds ${name} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  return documents.flatMap((document) => (isRecord(document) && Array.isArray(document.items) ? document.items : [document]))
    .filter((document) => isRecord(document) && document.kind === 'CustomResourceDefinition') as Definition[];
}

/** Versions of a kind that definitions serve. */
function servedVersions(definitions: readonly Definition[], group: string, kind: string): KindVersion[] {
  return definitions.filter(({ spec }) => spec?.group === group && spec.names?.kind === kind).flatMap(({ spec }) => (
    (spec?.versions ?? []).filter(({ served }) => served !== false).map(({ name, schema }) => ({
      apiVersion: `${group}/${name}`,
      kind,
      namespaced: spec?.scope !== 'Cluster',
      schema: schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true },
    }))));
}
