import type { Colour } from '../../local/output/colours';
import type { WorkloadState } from '../../model/kinds/standing';

export const STATE_COLOURS: { readonly [state in WorkloadState]: Colour } = {
  Running: 'green', Succeeded: 'green', Failed: 'red', Suspended: 'yellow', Waiting: 'yellow', Restarting: 'yellow', Deleting: 'grey',
};

