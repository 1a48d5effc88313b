/**
 * Node pools of which some names are not known yet. The rules and the rendering are functions of plain data, so names that no rule depends on are
 * stood in for while both
 * run, and what was rendered gets the outputs in their place: a preview shows all the rest.
 */
import * as pulumi from '@pulumi/pulumi';
import { isPending } from '../support/validated';

/** Fields that only name something: whatever they resolve to, the rest of the pool means the same. */
const NAMES = [
  /^serviceAccount$/,
  /^network\.additionalNetworks\.\d+\.(network|subnetwork)$/, /^placement\.policyName$/, /^capacity\.reservation\.(name|project)$/,
  /^tags\.\d+$/, /^resourceLabels\..+$/, /^labels\..+$/, /^secondaryBootDisks\.\d+\.(image|project)$/,
];

/** Plain data with stand-ins. */
export interface StandIns {
  readonly plain: unknown;
  /** What each stand-in is for. */
  readonly outputs: ReadonlyMap<string, pulumi.Output<string>>;
}

/** Puts stand-ins for outputs; undefined where the pool depends on one of them. */
export function tryStandIn(value: unknown): StandIns | undefined {
  const outputs = new Map<string, pulumi.Output<string>>();
  let complete = true;
  const walk = (part: unknown, path: string): unknown => {
    if (pulumi.Output.isInstance(part) || part instanceof Promise) {
      if (!NAMES.some((name) => name.test(path))) {
        complete = false;
        return undefined;
      }
      const standIn = `stand-in-${outputs.size}-of-output`;
      outputs.set(standIn, pulumi.output(part as pulumi.Input<string>));
      return standIn;
    }
    if (Array.isArray(part)) {
      return part.map((item, index) => walk(item, `${path}.${index}`));
    }
    const below = (name: string) => (path === '' ? name : `${path}.${name}`);
    return isPending(part) ? Object.fromEntries(Object.entries(part as object).map(([name, each]) => [name, walk(each, below(name))])) : part;
  };
  const plain = walk(value, '');
  return complete ? { plain, outputs } : undefined;
}

/** Whether a value has a stand-in in it. */
export function hasStandIn(value: unknown, { outputs }: StandIns): boolean {
  const text = JSON.stringify(value) ?? '';
  return [...outputs.keys()].some((standIn) => text.includes(standIn));
}

/** Puts the outputs in the places of their stand-ins. @param through what each output waits for, such as a check */
export function fillStandIns<T>(value: T, { outputs }: StandIns, through: (output: pulumi.Output<string>) => pulumi.Output<string>): T {
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const used = [...outputs].filter(([standIn]) => part.includes(standIn));
      return used.length === 0 ? part : pulumi.all(used.map(([, output]) => through(output))).apply((names) => (
        names.reduce((text, name, index) => text.replaceAll(used[index][0], name), part)
      ));
    }
    if (Array.isArray(part)) {
      return part.map(fill);
    }
    const isObject = typeof part === 'object' && part !== null;
    return isObject ? Object.fromEntries(Object.entries(part).map(([name, each]) => [name, fill(each)])) : part;
  };
  return fill(value) as T;
}
