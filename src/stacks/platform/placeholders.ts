/**
 * Names of a platform that are outputs, such as the name of a bucket. The set of objects does not depend on them, so the platform is planned with
 * placeholders of the same format, which the outputs then replace in the plan.
 */
import * as pulumi from '@pulumi/pulumi';
import type { Violation } from '../../model/violations';
import type { Placeholders } from '../node-pool/placeholders';
import { isPending } from '../support/validated';

/** Fields that are only names, with a placeholder of their format. */
const NAMES: { readonly [path: string]: string } = {
  'artifactStore.bucket': 'placeholder-of-bucket',
  'database.instance': 'placeholder-of-project:europe-west1:placeholder-of-instance',
  'database.host': 'placeholder-of-host.example',
  'database.googleServiceAccount': 'placeholder-of-account@placeholder.iam.gserviceaccount.com',
  'domain.host': 'placeholder-of-domain.example.com',
  'identity.audience': '/projects/101010101/global/backendServices/202020202',
};

/** Options without outputs, and the placeholders for the outputs. */
export interface WithPlaceholders<T> extends Placeholders {
  readonly plain: T;
  /** Errors for outputs that cannot have a placeholder. */
  readonly violations: readonly Violation[];
}

/** Replaces outputs with placeholders. */
export function withPlaceholders<T>(options: unknown): WithPlaceholders<T> {
  const outputs = new Map<string, pulumi.Output<string>>();
  const violations: Violation[] = [];
  const walk = (part: unknown, path: string): unknown => {
    if (pulumi.Output.isInstance(part) || part instanceof Promise) {
      if (!Object.hasOwn(NAMES, path)) {
        violations.push({ path, value: undefined, message: `is an output, but must be known: it sets what is created. Outputs can be ${Object.keys(NAMES).join(', ')}.` });
        return undefined;
      }
      outputs.set(NAMES[path], pulumi.output(part as pulumi.Input<string>));
      return NAMES[path];
    }
    if (!isPending(part)) {
      return part;
    }
    return Array.isArray(part)
      ? part.map((item, index) => walk(item, `${path}[${index}]`))
      : Object.fromEntries(Object.entries(part as object).map(([name, each]) => [name, walk(each, path === '' ? name : `${path}.${name}`)]));
  };
  return { plain: walk(options, '') as T, outputs, violations };
}
