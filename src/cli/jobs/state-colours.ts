/** Colours of the states of jobs. */
import type { Colour } from '../../local/output/colours';
import type { WorkloadState } from '../../model/kinds/standing';

const COLOURS: { readonly [state in WorkloadState]: Colour } = {
  Running: 'green', Succeeded: 'green', Failed: 'red', Suspended: 'yellow', Waiting: 'yellow', Restarting: 'yellow', Deleting: 'grey',
};

export function stateColour(state: WorkloadState): Colour {
  return COLOURS[state];
}
