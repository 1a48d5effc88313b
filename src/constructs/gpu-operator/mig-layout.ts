import { checkTypes } from '../props/check-props';
import type { MigEntry } from '../../model/gpu-operator/mig-parted';

/** Which GPUs a layout is of. */
export interface MigLayoutOptions {
  /** Indexes of GPUs of the node. @default - all of them */
  readonly devices?: number[];

  /**
   * PCI ids of device and vendor of the GPUs that are meant, such as `0x233010DE` (H100 80 GB), where nodes have different ones.
   * @default - any GPU
   */
  readonly deviceFilter?: string[];

  /**
   * Product that is meant, as in the label `nvidia.com/gpu.product`: sizes are then checked against it.
   * @default - any that has the sizes
   */
  readonly product?: string;
}

/** Into which partitions (MIG) GPUs are divided. @see docs/gpu-sharing.md */
export class MigLayout {
  /** Whole GPUs. @param options which GPUs */
  public static disabled(options: MigLayoutOptions = {}): MigLayout {
    checkTypes('MigLayout.disabled', 'MigLayoutOptions', options);
    return new MigLayout({ ...options, enabled: false });
  }

  /**
   * So many partitions of each size.
   * @param partitions numbers by sizes, such as `1g.10gb` (`MigSize.MIG_1G_10GB.profile`)
   * @param options which GPUs
   */
  public static of(partitions: { [size: string]: number }, options: MigLayoutOptions = {}): MigLayout {
    checkTypes('MigLayout.of', 'MigLayoutOptions', options);
    return new MigLayout({ ...options, enabled: true, partitions: { ...partitions } });
  }

  private constructor(private readonly entry: MigEntry) {}

  /** Partitions of each GPU by their size, as a copy; empty for whole GPUs. */
  public get partitions(): { [size: string]: number } {
    return { ...this.entry.partitions };
  }

  /** In the model's terms. @internal */
  public _toSpec(): MigEntry {
    return this.entry;
  }
}
