/** The price of a choice, on the objects that are made of it. */
import { PRICE_ANNOTATION } from '../../model/labels';
import { describeChoice, type PoolChoice } from '../../model/node-pools/preferences';

/** The annotation; none where nobody gave a price. */
export function priceAnnotation(choice: PoolChoice): { readonly [name: string]: string } {
  return choice.perHour === undefined ? {} : { [PRICE_ANNOTATION]: describeChoice(choice) };
}
