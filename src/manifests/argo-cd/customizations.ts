/**
 * Argo CD's settings of kinds: keys of the ConfigMap `argocd-cm`. If something else manages that ConfigMap, ours is applied with server-side apply:
 * it contains only our keys, and removes no others.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#custom-health-checks
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/resource_actions/
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/#system-level-configuration
 */
import type { KindActions } from './actions';
import { APPLICATION_CUSTOMIZATION, KIND_CUSTOMIZATIONS, kindName, type KindCustomization } from './kinds';
import type { Manifest } from '../kubernetes';
import { yamlText } from '../yaml-text';
import { SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION } from '../../model/argo-cd/annotations';

/** The only ConfigMap that Argo CD reads. */
const ARGO_CD_CONFIG_MAP = 'argocd-cm';

/** Labels that Argo CD requires. */
const PART_OF_ARGO_CD = { 'app.kubernetes.io/part-of': 'argocd', 'app.kubernetes.io/name': ARGO_CD_CONFIG_MAP };

export interface CustomizationChoice {
  /** Kinds of the library as `GROUP/KIND`. @default - all */
  readonly kinds?: readonly string[];
  /** @default true */
  readonly health?: boolean;
  /** @default true */
  readonly actions?: boolean;
  /** @default true */
  readonly ignoreDifferences?: boolean;
  /** Health of Applications. @default true */
  readonly applicationHealth?: boolean;
  /** The user's customizations, which replace ours for the same kind. */
  readonly own?: readonly KindCustomization[];
}

/** Data of the ConfigMap, in the order of their keys. */
export function constructCustomizations(choice: CustomizationChoice = {}): { [key: string]: string } {
  const { kinds, health = true, actions = true, ignoreDifferences = true, applicationHealth = true, own = [] } = choice;
  const ours = KIND_CUSTOMIZATIONS.filter((each) => kinds === undefined || kinds.includes(kindName(each))).map((each): KindCustomization => ({
    group: each.group, kind: each.kind,
    ...(health && { health: each.health }), ...(actions && { actions: each.actions }),
    ...(ignoreDifferences && { ignoreDifferences: each.ignoreDifferences }),
  }));
  const all = [...(applicationHealth ? [APPLICATION_CUSTOMIZATION] : []), ...ours, ...own];
  const entries = all.flatMap(entriesOf);
  // Later entries replace earlier ones.
  return Object.fromEntries([...new Map(entries)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Our part of the ConfigMap. Deleting the Application or the program does not remove keys of others. */
export function constructCustomizationPatch(
  { namespace, data, wave }: { readonly namespace: string; readonly data: { readonly [key: string]: string }; readonly wave?: number },
): Manifest & { readonly data: { readonly [key: string]: string } } {
  return {
    apiVersion: 'v1', kind: 'ConfigMap',
    metadata: {
      name: ARGO_CD_CONFIG_MAP, namespace, labels: PART_OF_ARGO_CD,
      annotations: {
        [SYNC_OPTIONS_ANNOTATION]: 'ServerSideApply=true,Prune=false,Delete=false',
        ...(wave !== undefined && { [SYNC_WAVE_ANNOTATION]: String(wave) }),
      },
    },
    data,
  };
}

function entriesOf({ group, kind, health, actions, ignoreDifferences, useOpenLibs }: KindCustomization): [string, string][] {
  const suffix = group === '' ? kind : `${group}_${kind}`;
  const entry = (setting: string, value: string): [string, string] => [`resource.customizations.${setting}.${suffix}`, value];
  return [
    ...(health === undefined ? [] : [entry('health', health)]),
    ...(actions === undefined ? [] : [entry('actions', constructActionsYaml(actions))]),
    ...(ignoreDifferences === undefined ? [] : [entry('ignoreDifferences', yamlText(ignoreDifferences))]),
    ...(useOpenLibs === true ? [entry('useOpenLibs', 'true')] : []),
  ];
}

/** Indentation of a block, in spaces. */
const INDENT = 2;

/** Characters that a block of YAML cannot contain. */
// eslint-disable-next-line no-control-regex -- it searches for them
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/;

/**
 * Value of `resource.customizations.actions.GROUP_KIND`: actions as YAML, with scripts as readable blocks.
 */
export function constructActionsYaml({ discovery, actions }: KindActions): string {
  const definitions = actions.flatMap(({ name, lua }) => [`- name: ${yamlText(name).trim()}`, ...scriptLines('action.lua', lua).map((line) => `  ${line}`)]);
  return `${[...scriptLines('discovery.lua', discovery), 'definitions:', ...definitions].map((line) => line.trimEnd()).join('\n')}\n`;
}

/** A field with a script. A script that a block would change is quoted. */
function scriptLines(name: string, script: string): string[] {
  if (UNPRINTABLE.test(script) || /[ \t]$/m.test(script) || !/^\S[^]*\S\n?$/.test(script)) {
    return [`${name}: ${yamlText(script).trimEnd()}`];
  }
  const lines = script.replace(/\n$/, '').split('\n');
  return [`${name}: |${script.endsWith('\n') ? '' : '-'}`, ...lines.map((line) => ' '.repeat(INDENT) + line)];
}
