/** Commands of pipelines. What comes from outside is in variables, never in the text of a script. */
import type { PipelineSpec } from './spec';

/** Folder that the manifests before the change are in. */
export const BASE_FOLDER = '.trainyard/base';

export const COMMENT_FILE = 'trainyard-diff.md';

/** File with what a promotion changes. */
export const PROMOTION_PATCH = 'trainyard-promotion.patch';

/** A word of a shell command. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replace(/'/g, '\'\\\'\'')}'`;
}

/** Whether committed manifests are what the program writes. */
export function driftCommand({ app, manifests }: PipelineSpec, output: 'text' | 'github'): string {
  return `npx trainyard drift ${quoted(app)} --against ${quoted(manifests)} --output ${output}`;
}

/** Whether manifests are valid. */
export function validateCommand({ app }: PipelineSpec, output: 'text' | 'github'): string {
  return `npx trainyard validate ${quoted(app)} --output ${output}`;
}

/** Writes what changes. Its exit code is 1 when something does, which is no failure. */
export function diffCommand({ app, manifests }: PipelineSpec): string {
  return `npx trainyard diff ${quoted(app)} --against ${quoted(`${BASE_FOLDER}/${manifests}`)} --output markdown > ${COMMENT_FILE} || [ $? -eq 1 ]`;
}

/** Promotes to all of `$TARGETS`, and leaves what changes as a patch. */
export function promoteCommands({ promotion, synth, manifests }: PipelineSpec): string[] {
  const file = quoted(promotion!.file);
  return [
    `for target in $TARGETS; do npx trainyard promote --file ${file} "$target"; done`,
    synth,
    `git add --all -- ${file} ${quoted(manifests)}`,
    `git diff --cached --binary > ${PROMOTION_PATCH}`,
  ];
}

/** Makes a commit of the patch, or ends where there is nothing in it. */
export const COMMIT_PROMOTION = [
  `if [ ! -s ${PROMOTION_PATCH} ]; then echo 'Nothing to promote.'; exit 0; fi`,
  `git apply --index ${PROMOTION_PATCH}`,
];

/** First line of the comment that a pipeline keeps up to date, by which it is found again. It is not shown. */
export const DIFF_COMMENT_MARKER = '<!-- trainyard diff -->';
