/**
 * Node pools with names that are not known yet. The rules and the rendering are functions of plain data, so they run with placeholders for names that
 * no rule depends on. The outputs then replace the placeholders in the rendered pool, so a preview shows all other values.
 */
import * as pulumi from '@pulumi/pulumi';
import { isPending } from '../support/validated';

/** Fields that are only names: their values do not affect the rest of the pool. */
const NAMES = [
  /^serviceAccount$/,
  /^network\.additionalNetworks\.\d+\.(network|subnetwork)$/, /^placement\.policyName$/, /^capacity\.reservation\.(name|project)$/,
  /^tags\.\d+$/, /^resourceLabels\..+$/, /^labels\..+$/, /^secondaryBootDisks\.\d+\.(image|project)$/,
];

/** Plain data with placeholders. */
export interface Placeholders {
  readonly plain: unknown;
  /** The output of each placeholder. */
  readonly outputs: ReadonlyMap<string, pulumi.Output<string>>;
}

/** Replaces outputs with placeholders. Returns undefined if the pool depends on one of the outputs. */
export function tryPlaceholders(value: unknown): Placeholders | undefined {
  const outputs = new Map<string, pulumi.Output<string>>();
  let complete = true;
  const walk = (part: unknown, path: string): unknown => {
    if (pulumi.Output.isInstance(part) || part instanceof Promise) {
      if (!NAMES.some((name) => name.test(path))) {
        complete = false;
        return undefined;
      }
      const placeholder = `placeholder-${outputs.size}-of-output`;
      outputs.set(placeholder, pulumi.output(part as pulumi.Input<string>));
      return placeholder;
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

/** Whether a value contains a placeholder. */
export function hasPlaceholder(value: unknown, { outputs }: Placeholders): boolean {
  const text = JSON.stringify(value) ?? '';
  return [...outputs.keys()].some((placeholder) => text.includes(placeholder));
}

/** Replaces the placeholders with their outputs. @param through applied to each output, such as a check that it waits for */
export function fillPlaceholders<T>(value: T, { outputs }: Placeholders, through: (output: pulumi.Output<string>) => pulumi.Output<string>): T {
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const used = [...outputs].filter(([placeholder]) => part.includes(placeholder));
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
