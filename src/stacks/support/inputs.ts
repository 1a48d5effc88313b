/** Types of arguments, and shapes that several components use to check them. */
import type * as pulumi from '@pulumi/pulumi';
import { mapOf, pattern, type Shape } from '../../model/shapes';

/** The same data, in which each value can be an output. */
export type InputsOf<T> = [T] extends [string | number | boolean | undefined] ? pulumi.Input<T>
  : T extends readonly (infer Item)[] ? pulumi.Input<readonly InputsOf<Item>[]>
    : pulumi.Input<{ readonly [field in keyof T]: InputsOf<T[field]> }>;

/** A plain object, in which each field can be an output. */
export type PartsOf<T> = { readonly [field in keyof T]: pulumi.Input<NonNullable<T[field]>> | Extract<T[field], undefined> };

/** Any value: it is checked by the rule of another field, or is a resource. */
export const ANYTHING: Shape = () => {};

/** Region such as `europe-west4`, or zone such as `europe-west4-a`. */
export const LOCATION: Shape = pattern(/^[a-z]+-[a-z]+\d+(-[a-z])?$/, 'must be a region such as europe-west4 or a zone such as europe-west4-a.');

/** Region such as `europe-west4`. */
export const REGION: Shape = pattern(/^[a-z]+-[a-z]+\d+$/, 'must be a region, such as europe-west4.');

export const ZONE: Shape = pattern(/^[a-z]+-[a-z]+\d+-[a-z]$/, 'must be a zone, such as europe-west4-a.');

/** @see https://cloud.google.com/resource-manager/docs/creating-managing-projects */
export const PROJECT_ID: Shape = pattern(/^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  'must be the id of a project, not its number: 6 to 30 lower-case letters, digits and \'-\'.');

/** Name of a cluster or a node pool: at most 40 characters. */
export const GKE_NAME: Shape = pattern(/^[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?$/,
  'must have 1 to 40 lower-case letters, digits and \'-\', starting with a letter and not ending with \'-\'.');

/** Maximum number of labels of a resource. */
const MAX_LABELS = 64;

const LABEL_KEY = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Labels of Google Cloud resources, which split up bills. Their rules are stricter than those of Kubernetes labels.
 * @see https://cloud.google.com/compute/docs/labeling-resources
 */
export const CLOUD_LABELS: Shape = (value, path, violations) => {
  mapOf(pattern(/^[a-z0-9_-]{0,63}$/, 'must have at most 63 lower-case letters, digits, \'-\' and \'_\'.'))(value, path, violations);
  const keys = Object.keys((value ?? {}) as object);
  for (const key of keys.filter((each) => !LABEL_KEY.test(each))) {
    violations.add(path, key, 'is not a valid label key: use a lower-case letter, then at most 62 lower-case letters, digits, \'-\' and \'_\'. Slashes and dots are for Kubernetes labels.');
  }
  if (keys.length > MAX_LABELS) {
    violations.add(path, keys.length, `are more labels than the ${MAX_LABELS} that a resource holds.`);
  }
};

/** Name of a Cloud KMS key. */
export const KMS_KEY: Shape = pattern(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/,
  'must be projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY.');
