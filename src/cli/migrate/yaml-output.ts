/** Objects as a YAML text. */
import { Document, visit } from 'yaml';
import type { JsonObject } from '../../manifests/migrate/fields';
import { commentLines, hasUnseen, printableLines } from '../../model/text/printable';
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
    return marks + textOf(object);
  }));
  return documents.length === 0 ? undefined : documents.join('---\n');
}

/** Texts with characters that cannot be seen are in quotes, where they can be written out. */
function textOf(object: JsonObject): string {
  const document = new Document(withoutNull(object), { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && hasUnseen(node.value.replace(/[\n\t]/g, ''))) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return printableLines(document.toString({ lineWidth: 0 }));
}
