import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { IResourceFlavor } from './flavor';
import { checkTypes } from '../props/check-props';
import type { Gpu, Tpu } from '../training-job/pods/resources';
import type { QuotaSpec } from '../../model/queues/spec';

/** Limits of cores between a queue and its cohort. */
export interface CpuQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: Cpu;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: Cpu;
}

/** Limits of memory or disk between a queue and its cohort. */
export interface SizeQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: Size;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: Size;
}

/** Limits of countable resources between a queue and its cohort. */
export interface CountQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: number;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: number;
}

/** A queue's quota of one resource. @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#resources */
export class Quota {
  /** Cores. */
  public static cpu(nominal: Cpu, options: CpuQuotaOptions = {}): Quota {
    checkTypes('Quota.cpu', 'CpuQuotaOptions', options);
    return new Quota({ resource: 'cpu', nominal: nominal.amount, borrowingLimit: options.borrowingLimit?.amount, lendingLimit: options.lendingLimit?.amount });
  }

  /** Memory. */
  public static memory(nominal: Size, options: SizeQuotaOptions = {}): Quota {
    checkTypes('Quota.memory', 'SizeQuotaOptions', options);
    return Quota.size('memory', nominal, options);
  }

  /** Local disk of the nodes. */
  public static ephemeralStorage(nominal: Size, options: SizeQuotaOptions = {}): Quota {
    checkTypes('Quota.ephemeralStorage', 'SizeQuotaOptions', options);
    return Quota.size('ephemeral-storage', nominal, options);
  }

  /** GPUs. @param nominal such as `Gpu.nvidia(64)` */
  public static gpu(nominal: Gpu, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.gpu', 'CountQuotaOptions', options);
    return Quota.extended(nominal.resourceName, nominal.count, options);
  }

  /** TPU chips. @param nominal such as `Tpu.chips(256)` */
  public static tpu(nominal: Tpu, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.tpu', 'CountQuotaOptions', options);
    return Quota.extended('google.com/tpu', nominal.count, options);
  }

  /** Number of pods. */
  public static pods(nominal: number, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.pods', 'CountQuotaOptions', options);
    return Quota.extended('pods', nominal, options);
  }

  /** Any other countable resource. @param resource extended resource, such as `rdma/hca` */
  public static extended(resource: string, nominal: number, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.extended', 'CountQuotaOptions', options);
    const count = (value: number | undefined) => (value === undefined ? undefined : String(value));
    const { borrowingLimit, lendingLimit } = options;
    return new Quota({ resource, nominal: String(nominal), borrowingLimit: count(borrowingLimit), lendingLimit: count(lendingLimit) });
  }

  private static size(resource: string, nominal: Size, { borrowingLimit, lendingLimit }: SizeQuotaOptions): Quota {
    return new Quota({ resource, nominal: nominal.asString(), borrowingLimit: borrowingLimit?.asString(), lendingLimit: lendingLimit?.asString() });
  }

  /** Resource of the quota. */
  public readonly resource: string;

  private constructor(private readonly spec: QuotaSpec) {
    this.resource = spec.resource;
  }

  /** @internal */
  public _toSpec(): QuotaSpec {
    return this.spec;
  }
}

/** Quotas of one flavor. */
export interface FlavorQuotas {
  /** The flavor. */
  readonly flavor: IResourceFlavor;

  /**
   * A quota for each resource that the queue's pods can request. All flavors of a group must have the same resources, in any order.
   */
  readonly quotas: Quota[];
}

/** Alternative flavors: a job gets the first one that fits, for all resources of the group. */
export interface ResourceGroup {
  /** The most preferred first. */
  readonly flavors: FlavorQuotas[];
}
