import { ruleMessages } from './message-texts';
import { RULES } from '../../src/model/accelerators/rules/rule-list';
import { CHECK_RULES } from '../../src/model/checks/rule-list';
import { addressOf, type Rule } from '../../src/model/findings';
import { POOL_RULES } from '../../src/model/node-pools/rules/rule-list';
import { RULE_LISTS } from '../../src/model/rules';
import { STORAGE_RULES, STORE_RULES } from '../../src/model/storage/rule-list';

/** Where lists of rules are declared, and what they are called. */
const LISTS = {
  'src/model/checks/rule-list': { CHECK_RULES },
  'src/model/accelerators/rules/rule-list': { RULES },
  'src/model/node-pools/rules/rule-list': { POOL_RULES },
  'src/model/storage/rule-list': { STORE_RULES, STORAGE_RULES },
} as const;

const HEAD = `<!-- Written by \`npm run docs\` from the rules in src/model and their messages. Change those, not this file. -->
# Warnings

After this page you can find the rule behind a warning or an error with an id, fix what it reports, and acknowledge what you accept.

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

Each id has its rule and the messages that it reports: what is wrong, and how to fix it. They follow the field and its value; \`…\` is a part that depends on your program.
Ids of [\`trainyard doctor\` and \`trainyard explain\`](errors.md) and [reasons of the operator](operator/events.md) are on other pages.
`;

/** Rules whose messages are put together elsewhere. */
const OTHER_MESSAGES: { readonly [id: string]: string } = {
  [CHECK_RULES.imageName.id]: 'error: the part of the name that registries reject, and what to write instead.',
  [CHECK_RULES.untested.id]: 'warning: the two versions, and what is known of them. Use a tested pair.',
  [CHECK_RULES.token.id]: 'error: the kind of token that was found. Use Credentials, or a Secret that another controller creates.',
  [CHECK_RULES.foreign.id]: 'error: the rule of the other system, and the values that it accepts.',
  [CHECK_RULES.duplicate.id]: 'error: the construct that has written the same object already. Rename or remove one.',
  [RULES.topologyOrder.id]: 'warning or error: the topology in the order of the slice. Write that one.',
  [STORAGE_RULES.regionalSize.id]: 'error: the size is below 1 TiB. Raise it, or set performance.',
};

/** Messages by the id of their rule. */
function messagesById(): ReadonlyMap<string, readonly string[]> {
  const messages = ruleMessages(Object.keys(LISTS));
  const rules = Object.values(LISTS).flatMap((lists) => Object.entries(lists)).flatMap(([list, entries]) => (
    Object.entries(entries as { readonly [name: string]: Rule }).map(([name, { id }]) => ({ id, name: `${list}.${name}` }))));
  return new Map(rules.map(({ id, name }) => [id, [...messages.get(name) ?? []].map(({ severity, text }) => `${severity}: ${text}`)]));
}

/** Text in the cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
}

function row({ id, says, source }: Rule, messages: readonly string[]): string {
  const link = source === undefined ? '' : ` ([source](${addressOf(source).replace(/^docs\//, '')}))`;
  return `| <a id="${id}"></a>\`${id}\` | ${cell(says)}${link} | ${messages.map(cell).join('<br>')} |`;
}

/** Text of `docs/warnings.md`. */
export function warningsPage(): string {
  const messages = messagesById();
  return [
    HEAD,
    ...RULE_LISTS.flatMap(({ title, page, rules }) => [
      `### ${title}\n`,
      ...(page === undefined ? [] : [`See [${page}](${page}).\n`]),
      '| Id | Rule | Reported as |',
      '|---|---|---|',
      ...rules.map((rule) => row(rule, [...messages.get(rule.id) ?? [], OTHER_MESSAGES[rule.id] ?? ''].filter((text) => text !== ''))),
      '',
    ]),
  ].join('\n');
}
