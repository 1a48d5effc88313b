/**
 * Nothing is dropped in silence: whatever stands in an object is afterwards in the job, in an object beside it, or in the report; or the object is
 * an error. Tried
 * at every place of a sample of each kind.
 */
import type { JsonObject } from '../../../src/manifests/migrate/fields';
import { migrateObjects } from '../../../src/manifests/migrate/migrate';
import { READ_KINDS } from '../../../src/manifests/migrate/readers';
import { placesIn, replaceAt } from '../../model/training-job/arbitraries';
import { SAMPLES } from './samples';

const MARK = 'zqmark';

/** What the TrainJob of the sample says in the place of its runtime. */
const OVERRULED = /^1\.spec\.template\.spec\..*containers\.0\.(image|command\.0|args\.0)$/;

/** All that became of the objects, as one text. */
function outcomeOf(objects: readonly JsonObject[]): string {
  return JSON.stringify(migrateObjects(objects));
}

function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce<unknown>((at, key) => (at as { readonly [key: string]: unknown })[key], value);
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Places of a sample whose value passes; of the first object, and of those that are part of its job. */
const placesOf = (objects: readonly JsonObject[], test: (value: unknown, place: readonly string[]) => boolean) =>
  placesIn(objects).filter((place) => place.length > 0 && test(valueAt(objects, place), place));

test('there is a sample of every kind', () => {
  expect([...new Set(Object.values(SAMPLES).map(([object]) => object.kind))].sort()).toEqual([...READ_KINDS].sort());
});

test.each(Object.keys(SAMPLES))('%s: the sample is migrated', (name) => {
  expect(migrateObjects(SAMPLES[name]).map(({ outcome }) => outcome)).toEqual(['job', ...SAMPLES[name].slice(1).map(() => 'part')]);
});

test.each(Object.keys(SAMPLES))('%s: a field that nobody knows is told wherever it stands', (name) => {
  const objects = SAMPLES[name];
  const silent = placesOf(objects, isObject)
    // A service or a runtime's own metadata is not a part of the job.
    .filter((place) => place[0] === '0' || (place[1] === 'spec' && objects[Number(place[0])].kind !== 'Service'))
    .filter((place) => {
      const object = valueAt(objects, place) as JsonObject;
      return !outcomeOf(replaceAt(objects, place, { ...object, zqfield: MARK }) as JsonObject[]).includes(MARK);
    });
  expect(silent.map((place) => place.join('.'))).toEqual([]);
});

test.each(Object.keys(SAMPLES))('%s: every text comes out again, or is told of', (name) => {
  const objects = SAMPLES[name];
  const isSaid = (place: readonly string[]) => {
    const text = valueAt(objects, place) as string;
    // Written otherwise a text may be no member of an enumeration, which is an error that shows it.
    return [`${MARK}${text}`, text].some((changed) => outcomeOf(replaceAt(objects, place, changed) as JsonObject[]).includes(changed));
  };
  const silent = placesOf(objects, (value) => typeof value === 'string')
    .filter((place) => place[0] === '0' || (place[1] === 'spec' && objects[Number(place[0])].kind !== 'Service'))
    .filter((place) => !['apiVersion', 'kind'].includes(place[1]) && !OVERRULED.test(place.join('.')) && !isSaid(place));
  expect(silent.map((place) => `${place.join('.')}=${String(valueAt(objects, place))}`)).toEqual([]);
});
