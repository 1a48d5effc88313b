import type { Duration } from 'cdk8s';
import type { CapacityKind, CapacityPreference } from '../../../model/node-pools/preferences';
import { checkTypes } from '../../props/check-props';

/** Location of a reservation, in addition to its name. */
export interface ReservationOptions {
  /** Project that owns the reservation. Required with a block. @default - the cluster's */
  readonly project?: string;

  /** Block of the reservation that the machines come from. The pool names its zone then. @default - any block */
  readonly block?: string;

  /** Sub-block of the block. @default - any sub-block */
  readonly subBlock?: string;

  /**
   * Machine type of the reservation. Required where a pool would do with several accelerators.
   * @default - that of the pool
   */
  readonly machineType?: string;
}

/** How long flex-start machines live. */
export interface FlexStartOptions {
  /** After this time a machine goes, whatever runs on it: 10 minutes to 7 days. @default - 7 days */
  readonly maxRunDuration?: Duration;
}

/** A way to have machines. A list of them is an order of preference. @see docs/node-pools.md */
export class Capacity {
  /** Machines at the full price, as long as there are any. */
  public static readonly ON_DEMAND = new Capacity({ kind: 'onDemand' });
  /** Machines at a lower price, which are taken back with half a minute of notice. */
  public static readonly SPOT = new Capacity({ kind: 'spot' });

  /**
   * Machines of a queued pool, which come all at once for a ProvisioningRequest. Only for pools, and not in a ComputeClass.
   */
  public static readonly QUEUED = new Capacity({ kind: 'queued' });
  /** Machines of any reservation of the project that fits, and no others. */
  public static readonly ANY_RESERVATION = new Capacity({ kind: 'reservation' });

  /**
   * Machines that come when there are some, and are not taken back before their time is over.
   * @param options how long they live
   */
  public static flexStart(options: FlexStartOptions = {}): Capacity {
    checkTypes('Capacity.flexStart', 'FlexStartOptions', options);
    return new Capacity({ kind: 'flexStart', maxRunSeconds: options.maxRunDuration?.toSeconds() });
  }

  /**
   * Machines of one reservation.
   * @param name name of the reservation, without its project
   * @param options where it is
   */
  public static reservation(name: string, options: ReservationOptions = {}): Capacity {
    checkTypes('Capacity.reservation', 'ReservationOptions', options);
    const { machineType, project, block, subBlock } = options;
    return new Capacity({ kind: 'reservation', machineType, reservation: { name, project, block, subBlock } });
  }

  /** `reservation`, `spot`, `flexStart`, `queued` or `onDemand`. */
  public readonly kind: string;

  private constructor(private readonly preference: CapacityPreference) {
    this.kind = preference.kind;
  }

  /** In the model's terms. @internal */
  public get _kind(): CapacityKind {
    return this.preference.kind;
  }

  /** In the model's terms. @internal */
  public _toSpec(): CapacityPreference {
    return this.preference;
  }
}
