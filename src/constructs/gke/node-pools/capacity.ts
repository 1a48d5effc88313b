import type { Duration } from 'cdk8s';
import type { CapacityKind, CapacityPreference } from '../../../model/node-pools/preferences';
import { checkTypes } from '../../props/check-props';

/** Location of a reservation, in addition to its name. */
export interface ReservationOptions {
  /** Project that owns the reservation. Required with a block. @default - the cluster's */
  readonly project?: string;

  /** Block of the reservation. The pool must then name its zone. @default - any block */
  readonly block?: string;

  /** Sub-block of the block. @default - any sub-block */
  readonly subBlock?: string;

  /**
   * Machine type of the reservation. Required for a pool with several accelerators to choose from.
   * @default - the pool's
   */
  readonly machineType?: string;
}

/** Lifetime of flex-start machines. */
export interface FlexStartOptions {
  /** Time after which a machine is deleted, whatever runs on it: 10 minutes to 7 days. @default - 7 days */
  readonly maxRunDuration?: Duration;
}

/** A provisioning model of machines. A list is in order of preference. @see docs/platform/node-pools.md */
export class Capacity {
  /** Machines at the full price, if available. */
  public static readonly ON_DEMAND = new Capacity({ kind: 'onDemand' });
  /** Machines at a lower price, which Google can reclaim with 30 seconds' notice. */
  public static readonly SPOT = new Capacity({ kind: 'spot' });

  /**
   * Machines of a queued pool, which a ProvisioningRequest creates all at once. Only for pools, not in a ComputeClass.
   */
  public static readonly QUEUED = new Capacity({ kind: 'queued' });
  /** Machines of any matching reservation of the project, and no others. */
  public static readonly ANY_RESERVATION = new Capacity({ kind: 'reservation' });

  /**
   * Machines that are created when capacity is available, and not reclaimed before their lifetime ends.
   * @param options their lifetime
   */
  public static flexStart(options: FlexStartOptions = {}): Capacity {
    checkTypes('Capacity.flexStart', 'FlexStartOptions', options);
    return new Capacity({ kind: 'flexStart', maxRunSeconds: options.maxRunDuration?.toSeconds() });
  }

  /**
   * Machines of one reservation.
   * @param name name of the reservation, without its project
   * @param options its location
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

  /** @internal */
  public get _kind(): CapacityKind {
    return this.preference.kind;
  }

  /** @internal */
  public _toSpec(): CapacityPreference {
    return this.preference;
  }
}
