/** From the properties of a block to its spec, by the table of its fields. */
import type { Duration } from 'cdk8s';
import { propertyOf, type Block, type Field, type Fields, type SpecOf } from '../../model/training-job/schema/field';

/** Properties of a block, by whatever interface. */
interface Props { readonly [property: string]: unknown }

/** What a field of the spec is made of, where its property is no plain value. */
export interface OwnFields<P> { readonly [field: string]: (props: P) => unknown }

/**
 * Makes the function that renders a block. Fields that are not given are left out, because a field that is present counts as set.
 * @param own fields with a rule of their own
 */
export function blockSpec<F extends Fields, P extends object>(block: Block<F>, own: OwnFields<P> = {}): (props: P) => SpecOf<F> {
  const steps = Object.entries<Field>(block.fields).flatMap(([name, field]) => {
    const property = propertyOf(name, field);
    const read = Object.hasOwn(own, name) ? own[name] : property === undefined ? undefined : reader(property, field);
    return read === undefined ? [] : [{ name, read: read as (props: object) => unknown }];
  });
  return (props) => {
    const spec: { [name: string]: unknown } = {};
    for (const { name, read } of steps) {
      const value = read(props);
      if (value !== undefined) {
        spec[name] = value;
      }
    }
    return spec as SpecOf<F>;
  };
}

function reader(property: string, field: Field): (props: Props) => unknown {
  if (field.conversion === 'duration') {
    return (props) => (props[property] as Duration | undefined)?.toSeconds();
  }
  if (field.fields === undefined) {
    return (props) => props[property];
  }
  const write = blockSpec<Fields, object>(field as Block);
  return (props) => (props[property] === undefined ? undefined : write(props[property] as object));
}
