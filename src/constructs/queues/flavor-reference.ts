import type { IResourceFlavor } from './flavor';
import type { FlavorSpec } from '../../model/queues/spec';

/** A flavor by name, with what is known about it. */
export class FlavorReference implements IResourceFlavor {
  public readonly flavorName: string;

  /** A flavor with known nodes. @internal */
  public static _of(name: string, read: () => FlavorSpec): FlavorReference {
    const reference = new FlavorReference(name);
    reference.read = read;
    return reference;
  }

  private read?: () => FlavorSpec;

  /** @param name name of the flavor */
  public constructor(name: string) {
    this.flavorName = name;
  }

  /** Undefined if nothing is known. @internal */
  public _toSpec(): FlavorSpec | undefined {
    return this.read?.();
  }
}
