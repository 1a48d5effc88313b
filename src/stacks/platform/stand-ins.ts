/**
 * Names of a platform that are outputs, such as that of a bucket. Which objects there are does not depend on them, so that the platform is planned
 * with names of the same form in their places; what was planned gets the outputs.
 */
import * as pulumi from '@pulumi/pulumi';
import type { Violation } from '../../model/violations';
import type { StandIns } from '../node-pool/stand-ins';
import { isPending } from '../support/validated';

/** Fields that only name something, with a name of their form. */
const NAMES: { readonly [path: string]: string } = {
  'artifactStore.bucket': 'stand-in-of-bucket',
  'database.instance': 'stand-in-of-project:europe-west1:stand-in-of-instance',
  'database.host': 'stand-in-of-host.example',
  'database.googleServiceAccount': 'stand-in-of-account@stand-in.iam.gserviceaccount.com',
  'domain.host': 'stand-in-of-domain.example.com',
  'identity.audience': '/projects/101010101/global/backendServices/202020202',
};

/** Options without outputs, and what stands in for those. */
export interface StoodIn<T> extends StandIns {
  readonly plain: T;
  /** Outputs that nothing can stand in for. */
  readonly violations: readonly Violation[];
}

/** Puts names in the places of outputs. */
export function standInFor<T>(options: unknown): StoodIn<T> {
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
