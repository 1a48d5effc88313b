/** What every script has to be, whatever it does: Argo CD's interpreter is Lua 5.1 with few libraries, and the scripts travel in YAML. */
import { parse } from 'yaml';
import { APPLICATION_CUSTOMIZATION, KIND_CUSTOMIZATIONS, kindName } from '../../../src/manifests/argo-cd/kinds';
import { constructActionsYaml, constructCustomizationPatch, constructCustomizations } from '../../../src/manifests/argo-cd/customizations';
import { runLua } from '../../support/lua';

const SCRIPTS = [...KIND_CUSTOMIZATIONS, APPLICATION_CUSTOMIZATION].flatMap((each) => {
  const { health, actions } = each;
  return [
    ...(health === undefined ? [] : [[`${kindName(each)} health`, health] as const]),
    ...(actions === undefined ? [] : [[`${kindName(each)} discovery`, actions.discovery] as const, ...actions.actions.map(({ name, lua }) => [`${kindName(each)} ${name}`, lua] as const)]),
  ];
});

/** Without texts and comments. */
const code = (script: string) => script.replace(/--.*$/gm, '').replace(/'(\\.|[^'\\])*'/g, '\'\'');

describe.each(SCRIPTS)('%s', (_name, script) => {
  test('is Lua 5.1: neither goto nor integers, and no library that Argo CD does not open', () => {
    expect(code(script)).not.toMatch(/\bgoto\b|::|\/\/|<<|>>|[&|]|~(?!=)|\butf8\b|table\.(pack|unpack|move)/);
    expect(code(script)).not.toMatch(/\b(string|math|io|os|debug|coroutine|require|load|loadstring|dofile)\b|\w:\w/);
  });

  test('travels in YAML, through templates of Helm and ApplicationSets', () => {
    expect(script).toMatch(/^[\n\x20-\x7e]+\n$/);
    expect(script).not.toMatch(/\{\{|\}\}|[ \t]$/m);
  });

  test('answers with a table for an object with nothing in it', () => {
    const run = () => runLua(script, { apiVersion: 'v1', kind: 'Kind', metadata: { name: 'a' } });
    let answer: unknown;
    try {
      answer = run();
    } catch (error) {
      // Actions say why they cannot be done.
      expect((error as Error).message).toMatch(/it has not failed|it cannot be suspended/);
      return;
    }
    expect(answer).toEqual(expect.any(Object));
  });
});

test('actions travel as YAML', () => {
  for (const { actions } of KIND_CUSTOMIZATIONS.filter((each) => each.actions !== undefined)) {
    expect(parse(constructActionsYaml(actions!))).toEqual({
      'discovery.lua': actions!.discovery, 'definitions': actions!.actions.map(({ name, lua }) => ({ name, 'action.lua': lua })),
    });
  }
});

test.each([
  ['an empty script', ''], ['one that begins with a space', '  return obj'], ['one with blanks at the end of a line', 'local a \nreturn obj\n'],
  ['one with tabs', 'if true then\n\treturn obj\nend'], ['one without a last line break', 'return obj'], ['one with several', 'return obj\n\n'],
  ['one with other letters', '-- größer 🚀\nreturn obj\n'], ['one with lines of Windows', 'local a\r\nreturn obj\r\n'], ['a word', 'obj'],
])('%s travels as it is', (_name, lua) => {
  expect(parse(constructActionsYaml({ discovery: lua, actions: [{ name: 'on', lua }] }))).toEqual({ 'discovery.lua': lua, 'definitions': [{ name: 'on', 'action.lua': lua }] });
});

test('the settings are what Argo CD reads, in the order of their keys, the same each time', () => {
  const data = constructCustomizations();
  expect(Object.keys(data)).toEqual([...Object.keys(data)].sort());
  expect(constructCustomizations()).toEqual(data);
  expect(data['resource.customizations.health.argoproj.io_Application']).toBe(APPLICATION_CUSTOMIZATION.health);
  for (const [key, value] of Object.entries(data)) {
    expect(key).toMatch(/^resource\.customizations\.(health|actions|ignoreDifferences)\.[a-z0-9.-]+_[A-Z]\w+$/);
    if (key.includes('.ignoreDifferences.')) {
      expect(Object.values(parse(value) as object).flat()).toEqual(expect.arrayContaining([expect.stringMatching(/^[/.]/)]));
    }
  }
  // Far from what a ConfigMap holds, with room for what else is in it.
  expect(JSON.stringify(data).length).toBeLessThan(300_000);
});

test('the patch has our keys only, and takes nothing away when it goes', () => {
  expect(constructCustomizationPatch({ namespace: 'gitops', data: { a: 'b' } })).toEqual({
    apiVersion: 'v1', kind: 'ConfigMap',
    metadata: {
      name: 'argocd-cm', namespace: 'gitops', labels: { 'app.kubernetes.io/part-of': 'argocd', 'app.kubernetes.io/name': 'argocd-cm' },
      annotations: { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false' },
    },
    data: { a: 'b' },
  });
});
