/** What Argo CD could not read of a customization: it says so in the log of its controller, and the kind stays without health. */
import { isSubdomain } from '../names';
import { ViolationCollector, type Violation } from '../violations';

/** A customization, as far as rules ask. */
export interface CheckedCustomization {
  readonly group: string;
  readonly kind: string;
  readonly health?: string;
  readonly discovery?: string;
  readonly actions?: readonly { readonly name: string; readonly lua: string }[];
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
  readonly useOpenLibs?: boolean;
}

const KIND = /^[A-Z][A-Za-z0-9]*$/;
const ACTION = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Libraries that scripts have only with `useOpenLibs`. @see https://github.com/argoproj/argo-cd/blob/v3.5.1/util/lua/lua.go (runLua) */
const LIBRARY = /\b(string|math|io|debug|coroutine)\s*\.\s*[a-z]|\S:(find|format|gmatch|gsub|len|lower|match|rep|reverse|sub|upper)\s*\(/;

/** Bytes that an object of the API may have in all. */
const CONFIG_MAP_MAX_BYTES = 1_000_000;

/** Asks about one customization. @param path where it is in the program */
export function validateCustomization(customization: CheckedCustomization, path: string): Violation[] {
  const violations = new ViolationCollector();
  const { group, kind, health, discovery, actions = [], useOpenLibs } = customization;
  const { jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] } = customization;
  if (group !== '' && !isSubdomain(group)) {
    violations.add(`${path}.group`, group, 'must be an API group such as ray.io, and empty for Kubernetes\' own kinds. It becomes part of a ConfigMap\'s key, which has no wildcards.');
  }
  violations.form(`${path}.kind`, kind, KIND, 'must be a kind such as RayJob. It becomes part of a ConfigMap\'s key, which has no wildcards.');
  const fields = [...jsonPointers, ...jqPathExpressions, ...managedFieldsManagers];
  if (health === undefined && actions.length === 0 && fields.length === 0) {
    violations.add(path, undefined, 'configures nothing. Set health, actions or ignored fields, or leave it out.');
  }
  if (actions.length > 0 && discovery === undefined) {
    violations.add(`${path}.actionDiscovery`, undefined, 'is required with actions: Lua that returns which actions an object offers.');
  }
  if (actions.length === 0 && discovery !== undefined) {
    violations.add(`${path}.actionDiscovery`, undefined, 'applies to actions, and there are none. Add actions, or remove it.');
  }
  const names = actions.map(({ name }) => name);
  names.forEach((name, index) => {
    if (!ACTION.test(name)) {
      violations.add(`${path}.actions[${index}].name`, name, 'must be lower-case letters, digits and dashes.');
    } else if (names.indexOf(name) < index) {
      violations.add(`${path}.actions[${index}].name`, name, 'is the name of another action. Choose another one.');
    }
  });
  const scripts: readonly (readonly [string, string | undefined])[] = [
    ['health', health], ['actionDiscovery', discovery], ...actions.map(({ lua }, index) => [`actions[${index}].lua`, lua] as const),
  ];
  for (const [field, script] of scripts) {
    violations.form(`${path}.${field}`, script, /\breturn\b/, 'must return a table: Argo CD uses what the script returns.');
    const library = useOpenLibs === true ? null : LIBRARY.exec(script?.split('\n').map((line) => line.split('--', 1)[0]).join('\n') ?? '');
    if (library !== null) {
      violations.add(`${path}.${field}`, library[0], 'belongs to a library that Argo CD\'s scripts do not have. Set useOpenLibs: true, or avoid it.');
    }
  }
  jsonPointers.forEach((pointer, index) => {
    if (!pointer.startsWith('/')) {
      violations.add(`${path}.ignoreDifferences.jsonPointers[${index}]`, pointer, 'must be a JSON pointer, which begins with a slash: /spec/replicas.');
    }
  });
  jqPathExpressions.forEach((expression, index) => {
    if (!expression.startsWith('.')) {
      violations.add(`${path}.ignoreDifferences.jqPathExpressions[${index}]`, expression, 'must be a jq path, which begins with a dot: .spec.replicas.');
    }
  });
  return violations.violations;
}

export function validateCustomizationData(data: { readonly [key: string]: string }): Violation[] {
  const bytes = Object.entries(data).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return bytes <= CONFIG_MAP_MAX_BYTES ? [] : [{
    path: 'data', value: undefined, message: `is ${bytes} bytes, and a ConfigMap holds ${CONFIG_MAP_MAX_BYTES} with its other keys. Choose fewer kinds.`,
  }];
}
