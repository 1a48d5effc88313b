/** Actions as Argo CD reads them: YAML within a text of a ConfigMap, with scripts as blocks that people can read. */
import type { KindActions } from './actions/action';
import { yamlText } from '../yaml-text';

/** Spaces that a block is indented by. */
const INDENT = 2;

/** What a block of YAML may not have in it. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/;

/** The text of `resource.customizations.actions.GROUP_KIND`. */
export function constructActionsYaml({ discovery, actions }: KindActions): string {
  const definitions = actions.flatMap(({ name, lua }) => [`- name: ${yamlText(name).trim()}`, ...scriptLines('action.lua', lua).map((line) => `  ${line}`)]);
  return `${[...scriptLines('discovery.lua', discovery), 'definitions:', ...definitions].map((line) => line.trimEnd()).join('\n')}\n`;
}

/** A field whose value is a script. One that a block would change is quoted. */
function scriptLines(name: string, script: string): string[] {
  if (UNPRINTABLE.test(script) || /[ \t]$/m.test(script) || !/^\S[^]*\S\n?$/.test(script)) {
    return [`${name}: ${yamlText(script).trimEnd()}`];
  }
  const lines = script.replace(/\n$/, '').split('\n');
  return [`${name}: |${script.endsWith('\n') ? '' : '-'}`, ...lines.map((line) => ' '.repeat(INDENT) + line)];
}
