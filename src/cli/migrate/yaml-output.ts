/** Objects as a YAML text. */
import { stringify } from 'yaml';
import type { JsonObject } from '../../manifests/migrate/fields';
import { commentLines } from '../../model/text/printable';
import { withoutNull } from '../../manifests/migrate/values';

/** Objects that belong together, with what a comment above the last of them says. */
export interface YamlPart {
  readonly objects: readonly JsonObject[];
  readonly comment?: readonly string[];
}

/** Writes objects; undefined for none. */
export function writeYaml(parts: readonly YamlPart[]): string | undefined {
  const documents = parts.flatMap(({ objects, comment = [] }) => objects.map((object, index) => {
    const marks = index === objects.length - 1 ? comment.flatMap((line) => commentLines('#', line)).map((line) => `${line}\n`).join('') : '';
    return marks + stringify(withoutNull(object), { lineWidth: 0, aliasDuplicateObjects: false });
  }));
  return documents.length === 0 ? undefined : documents.join('---\n');
}
