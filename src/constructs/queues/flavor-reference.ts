import type { IResourceFlavor } from './flavor';
import type { FlavorSpec } from '../../model/queues/spec';

/** A flavor by its name, with what is known of it. */
export class FlavorReference implements IResourceFlavor {
  public readonly flavorName: string;

  /** A flavor of which something is known. @internal */
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

  /** In the model's terms; undefined when nothing is known. @internal */
  public _toSpec(): FlavorSpec | undefined {
    return this.read?.();
  }
}
