/** Lines of pods of any job and namespace, as `trainyard dev` shows them. */
import { replicaColour, type Paint } from './colours';
import type { Terminal } from './terminal';
import type { PodLine } from '../process/pod-process';
import type { Pod } from '../../manifests/kubernetes';
import { entryFor } from '../../model/lists';

/** Maximum width of the column. Lines of longer names are moved to the right. */
const WIDEST = 40;

/** Prefixes of lines: the name of their owner, in its own colour and in a column as wide as the longest name so far. */
export class OwnerColumn {
  private readonly ordinals = new Map<string, number>();
  private width = 0;

  public constructor(private readonly paint: Paint) {}

  public prefix(owner: string): string {
    const ordinal = entryFor(this.ordinals, owner, () => this.ordinals.size);
    this.width = Math.max(this.width, Math.min(owner.length, WIDEST));
    return this.paint(`${owner.padEnd(this.width)} | `, replicaColour(ordinal));
  }
}

export class PodLines {
  private readonly owners: OwnerColumn;

  public constructor(private readonly terminal: Terminal) {
    this.owners = new OwnerColumn(terminal.paintOut);
  }

  /** Writes a line: `NAMESPACE/POD | text`, without the namespace when it is `default`, with the container when it is not `training`. */
  public write(pod: Pod, { container, text }: PodLine): void {
    const { namespace, name } = pod.metadata!;
    const owner = `${namespace === 'default' ? '' : `${namespace}/`}${name}${container === 'training' ? '' : `:${container}`}`;
    this.terminal.raw(`${this.owners.prefix(owner)}${text}`);
  }
}
