/** What was compared has to be the same: texts where cdk8s wrote both, objects where another program chose the order. */
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** @throws Error when the files of two folders differ */
export function checkSameFiles(one: string, other: string): void {
  const [ones, others] = [one, other].map((folder) => fs.readdirSync(folder).sort());
  const differs = ones.find((name) => !others.includes(name) || fs.readFileSync(path.join(one, name), 'utf8') !== fs.readFileSync(path.join(other, name), 'utf8'));
  if (differs !== undefined || ones.length !== others.length) {
    throw new Error(`comparing programs that do not make the same: ${path.join(one, differs ?? '')} and ${path.join(other, differs ?? '')} differ`);
  }
}

/** @throws Error when a YAML text has other objects than the files of a folder */
export function checkSameObjects(folder: string, yaml: string): void {
  const files = fs.readdirSync(folder).filter((name) => name !== 'kustomization.yaml').map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  const [written, built] = [objectsByName(files.join('---\n')), objectsByName(yaml)];
  const differs = [...written.keys(), ...built.keys()].find((name) => !isDeepStrictEqual(written.get(name), built.get(name)));
  if (differs !== undefined) {
    throw new Error(`comparing programs that do not make the same: ${differs} of ${folder} differs from what kustomize built`);
  }
}

function objectsByName(yaml: string): Map<string, unknown> {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as { readonly metadata: { readonly name: string } });
  return new Map(objects.map((object) => [object.metadata.name, object]));
}
