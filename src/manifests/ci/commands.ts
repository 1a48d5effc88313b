/** Commands of pipelines. What comes from outside is in variables, never in the text of a script. */
import { VIRTUAL_ENVIRONMENT, type PipelineSpec } from './spec';

/** Folder with the manifests before the change. */
export const BASE_FOLDER = '.trainyard/base';

export const COMMENT_FILE = 'trainyard-diff.md';

/** File with what a promotion changes. */
export const PROMOTION_PATCH = 'trainyard-promotion.patch';

/** A word of a shell command. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replace(/'/g, '\'\\\'\'')}'`;
}

/** The command of the project. */
function trainyard({ isPython }: PipelineSpec): string {
  return isPython ? `${VIRTUAL_ENVIRONMENT}/bin/trainyard` : 'npx trainyard';
}

/** Installs the packages of a Python program. @param options of pip */
export function installPython(options = ''): string {
  return `python3 -m venv ${VIRTUAL_ENVIRONMENT} && ${VIRTUAL_ENVIRONMENT}/bin/pip install${options} -r requirements.txt`;
}

/** Whether committed manifests are what the program writes. */
export function driftCommand(spec: PipelineSpec, output: 'text' | 'github'): string {
  return `${trainyard(spec)} drift ${quoted(spec.app)} --against ${quoted(spec.manifests)} --output ${output}`;
}

/** Whether manifests are valid. */
export function validateCommand(spec: PipelineSpec, output: 'text' | 'github'): string {
  return `${trainyard(spec)} validate ${quoted(spec.app)} --output ${output}`;
}

/** Writes what changes. Its exit code is 1 when something does, which is no failure. */
export function diffCommand(spec: PipelineSpec): string {
  return `${trainyard(spec)} diff ${quoted(spec.app)} --against ${quoted(`${BASE_FOLDER}/${spec.manifests}`)} --output markdown > ${COMMENT_FILE} || [ $? -eq 1 ]`;
}

/** Promotes to all of `$TARGETS`, and leaves what changes as a patch. */
export function promoteCommands(spec: PipelineSpec): string[] {
  const file = quoted(spec.promotion!.file);
  return [
    `for target in $TARGETS; do ${trainyard(spec)} promote --file ${file} "$target"; done`,
    spec.synth,
    `git add --all -- ${file} ${quoted(spec.manifests)}`,
    `git diff --cached --binary > ${PROMOTION_PATCH}`,
  ];
}

/** Commits the patch, or ends if it is empty. */
export const COMMIT_PROMOTION = [
  `if [ ! -s ${PROMOTION_PATCH} ]; then echo 'Nothing to promote.'; exit 0; fi`,
  `git apply --index ${PROMOTION_PATCH}`,
];

/** First line of the comment that a pipeline keeps up to date, by which it finds the comment again. It is not displayed. */
export const DIFF_COMMENT_MARKER = '<!-- trainyard diff -->';
