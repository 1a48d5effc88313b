/** From the properties of a block to its spec, by the table of its fields. */
import type { Duration } from 'cdk8s';
import { propertyOf, type Block, type Field, type Fields, type SpecOf } from '../../model/training-job/schema/field';

/** Properties of a block, by whatever interface. */
interface Props { readonly [property: string]: unknown }

/** What a field of the spec consists of, where its property is no plain value. @typeParam S what is known in addition to the properties */
export interface OwnFields<P, S> { readonly [field: string]: (props: P, state: S) => unknown }

/** One field of a block: of a rule of its own, or of a property. */
interface Step {
  readonly name: string;
  readonly own?: (props: object, state: unknown) => unknown;
  readonly property: string;
  readonly convert?: (value: unknown) => unknown;
}

/**
 * Makes the function that renders a block. Fields that are not given are left out, because a field that is present counts as set.
 * @param own fields with a rule of their own
 */
export function blockSpec<F extends Fields, P extends object, S = void>(
  block: Block<F>, own: OwnFields<P, S> = {},
): (props: P, state: S) => SpecOf<F> {
  const steps = Object.entries<Field>(block.fields).flatMap(([name, field]): Step[] => {
    const property = propertyOf(name, field);
    if (Object.hasOwn(own, name)) {
      return [{ name, own: own[name] as Step['own'], property: name }];
    }
    return property === undefined ? [] : [{ name, property, convert: converter(field) }];
  });
  return (props, state) => {
    const spec: { [name: string]: unknown } = {};
    // Not `for`, whose iterators take twice the time until the code is compiled.
    steps.forEach((step) => {
      const given = step.own === undefined ? (props as Props)[step.property] : step.own(props, state);
      const value = given === undefined || step.convert === undefined ? given : step.convert(given);
      if (value !== undefined) {
        spec[step.name] = value;
      }
    });
    return spec as SpecOf<F>;
  };
}

/** What a property becomes that is no plain value. */
function converter(field: Field): Step['convert'] {
  if (field.conversion === 'duration') {
    return (duration) => (duration as Duration).toSeconds();
  }
  return field.fields === undefined ? undefined : blockSpec<Fields, object>(field as Block) as Step['convert'];
}
