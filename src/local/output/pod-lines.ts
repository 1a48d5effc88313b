/** Lines of pods of any job and namespace, as `trainyard dev` shows them: whose they are, in as narrow a column as the names so far need. */
import { replicaColour } from './colours';
import type { Terminal } from './terminal';
import type { PodLine } from '../process/pod-process';
import type { Pod } from '../../manifests/kubernetes';

/** Widest column; longer names push their line to the right. */
const WIDEST = 40;

export class PodLines {
  private readonly ordinals = new Map<string, number>();
  private width = 0;

  public constructor(private readonly terminal: Terminal) {}

  /** Writes a line: `NAMESPACE/POD | text`, without the namespace when it is `default`, with the container when it is not `training`. */
  public write(pod: Pod, { container, text }: PodLine): void {
    const { namespace, name } = pod.metadata!;
    const owner = `${namespace === 'default' ? '' : `${namespace}/`}${name}${container === 'training' ? '' : `:${container}`}`;
    const ordinal = this.ordinals.get(owner) ?? this.ordinals.size;
    this.ordinals.set(owner, ordinal);
    this.width = Math.max(this.width, Math.min(owner.length, WIDEST));
    this.terminal.raw(`${this.terminal.paintOut(`${owner.padEnd(this.width)} | `, replicaColour(ordinal))}${text}`);
  }
}
