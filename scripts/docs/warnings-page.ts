import { RULE_LISTS } from '../../src/model/rules';

const HEAD = `# Warnings

A program can be valid and still go wrong on a cluster: a command with a shell's \`$VARIABLE\` and no shell, checkpoints in a container, a queue that is spelt
otherwise. Trainyard checks this at synth, and \`trainyard validate\` checks it in any YAML. What cannot work is an error. What may work is a warning.

Each warning is written to standard error once, with the path of the construct and an id at the end:

    trainyard: warning: [ml/Digits] TrainingJob 'digits': spec.checkpointPath: "/checkpoints": is in the container: it is lost when the pod ends, ... [checkpoint-volume]

## Warnings as errors

    TRAINYARD_STRICT=1 npx cdk8s synth
    npx trainyard validate --strict main.ts

## Acknowledge a finding

To accept a finding, name its id, on the construct or on anything above it:

\`\`\`ts
Warnings.of(job).acknowledge('image-tag');
Warnings.of(chart).acknowledge('reference-priority-class');
\`\`\`

The objects that it is about get the annotation \`ml.collabnix.io/acknowledged\`, so that \`trainyard validate\` of the written manifests is silent too. In YAML, set
the annotation yourself, with several ids separated by commas:

\`\`\`yaml
metadata:
  annotations:
    ml.collabnix.io/acknowledged: image-tag, resources-missing
\`\`\`

Errors that have an id can be acknowledged in the same way, for example a Secret that another controller copies into the namespace.

In tests, \`Warnings.of(app).list\` has the warnings that are not acknowledged. Jest runs print none.

## All ids
`;

/** Text of `docs/warnings.md`. */
export function warningsPage(): string {
  return [
    HEAD,
    ...RULE_LISTS.flatMap(({ title, page, rules }) => [
      `### ${title}\n`,
      ...(page === undefined ? [] : [`See [${page}](${page}).\n`]),
      '| Id | Rule |',
      '|---|---|',
      ...rules.map(({ id, says }) => `| <a id="${id}"></a>\`${id}\` | ${says.replace(/\|/g, '\\|')} |`),
      '',
    ]),
  ].join('\n');
}
