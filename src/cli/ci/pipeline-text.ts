/** Files of pipelines as text. */
import { Document, isMap, isScalar, visit } from 'yaml';
import { ACTION_RELEASES } from '../../manifests/ci/github';
import type { PipelineFile } from '../../manifests/ci/spec';

/** The first line of generated files starts with this. */
export const WRITTEN_MARK = '# Written by: trainyard ci ';

/** @param words the command line that writes it */
export function pipelineText({ comment, content }: PipelineFile, words: readonly string[]): string {
  const document = new Document(content, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Pair(_key, { key, value }) {
      // The release of the commit.
      if (isScalar(key) && key.value === 'uses' && isScalar(value)) {
        value.comment = ` ${ACTION_RELEASES[String(value.value)]}`;
      }
    },
  });
  if (isMap(document.contents)) {
    // Blank lines between the parts.
    document.contents.items.slice(1).forEach(({ key }) => {
      if (isScalar(key)) {
        key.spaceBefore = true;
      }
    });
  }
  const head = [`${WRITTEN_MARK}${words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}`, ...comment.map((line) => `# ${line}`)];
  return `${head.join('\n')}\n${document.toString({ lineWidth: 0 })}`;
}
