/** Checks of objects that nobody has checked: at synth, an `ApiObject` may hold any JSON at any place, and no rule may throw. */
import { parseAllDocuments } from 'yaml';
import { PlaceChecks } from '../../../src/manifests/checks/place-checks';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { EXAMPLE_NAMES, everyFileOfExample } from '../../support/examples';

/** What stands where something else is expected. `String` throws at the fourth. */
const ODD: readonly unknown[] = [null, 'x', 5, { toString: 1 }, [], [null], [{ toString: 1 }], {}, true];

function objectsOf(example: string): ManifestObject[] {
  return [...everyFileOfExample(`${example}/main.ts`)].filter(([file]) => file.endsWith('.k8s.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as ManifestObject | null))
    .filter((object): object is ManifestObject => object?.kind !== undefined && object.kind !== 'CustomResourceDefinition');
}

/** Every place of a value, one of each list. */
function placesOf(value: unknown, above: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) {
    return [above];
  }
  const inner = Array.isArray(value) ? value.slice(0, 1).map((item, index) => [index, item] as const) : Object.entries(value);
  return [above, ...inner.flatMap(([name, item]) => placesOf(item, [...above, name]))];
}

function withValue(value: unknown, [first, ...rest]: readonly (string | number)[], odd: unknown): unknown {
  if (first === undefined) {
    return odd;
  }
  const inner = withValue((value as { readonly [name: string]: unknown })[first as string], rest, odd);
  return Array.isArray(value) ? value.map((item, index) => (index === first ? inner : item as unknown)) : { ...value as object, [first]: inner };
}

test.each(EXAMPLE_NAMES)('no rule throws at an odd value anywhere in the objects of examples/%s', (example) => {
  const objects = objectsOf(example);
  expect(objects.length).toBeGreaterThan(0);
  const kinds = new Map(objects.map((object) => [`${object.apiVersion} ${object.kind}`, object]));
  const thrown = new Set<string>();
  for (const object of kinds.values()) {
    const others = objects.filter((other) => other !== object).map((other) => ({ object: other }));
    for (const place of placesOf(object).filter(([first]) => first !== undefined && first !== 'apiVersion' && first !== 'kind')) {
      for (const odd of ODD) {
        const changed = { object: withValue(object, place, odd) as ManifestObject };
        try {
          new PlaceChecks([changed, ...others]).check(changed);
        } catch (error) {
          thrown.add(`${object.kind} ${place.join('.')} = ${JSON.stringify(odd)}: ${(error as Error).stack?.split('\n').slice(0, 4).join(' ')}`);
        }
      }
    }
  }
  expect([...thrown].slice(0, 20)).toEqual([]);
});
