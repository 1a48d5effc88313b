import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { IResourceFlavor } from './flavor';
import { checkTypes } from '../props/check-props';
import type { Gpu, Tpu } from '../training-job/pods/resources';
import type { QuotaSpec } from '../../model/queues/spec';

/** Limits between a queue and its cohort, of cores. */
export interface CpuQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: Cpu;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: Cpu;
}

/** Limits between a queue and its cohort, of memory or disk. */
export interface SizeQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: Size;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: Size;
}

/** Limits between a queue and its cohort, of what is counted. */
export interface CountQuotaOptions {
  /** Most that the queue takes from its cohort in addition to its own quota. @default - whatever the cohort has */
  readonly borrowingLimit?: number;
  /** Most of its own quota that the queue lends. @default - all of it */
  readonly lendingLimit?: number;
}

/** What a queue has of one resource. @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#resources */
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

  /** Disk of the nodes. */
  public static ephemeralStorage(nominal: Size, options: SizeQuotaOptions = {}): Quota {
    checkTypes('Quota.ephemeralStorage', 'SizeQuotaOptions', options);
    return Quota.size('ephemeral-storage', nominal, options);
  }

  /** GPUs, of whichever resource counts them. @param nominal such as `Gpu.nvidia(64)` */
  public static gpu(nominal: Gpu, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.gpu', 'CountQuotaOptions', options);
    return Quota.extended(nominal.resourceName, nominal.count, options);
  }

  /** TPU chips. @param nominal such as `Tpu.chips(256)` */
  public static tpu(nominal: Tpu, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.tpu', 'CountQuotaOptions', options);
    return Quota.extended('google.com/tpu', nominal.count, options);
  }

  /** Pods: each counts as one. */
  public static pods(nominal: number, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.pods', 'CountQuotaOptions', options);
    return Quota.extended('pods', nominal, options);
  }

  /** Anything else that is counted. @param resource extended resource, such as `rdma/hca` */
  public static extended(resource: string, nominal: number, options: CountQuotaOptions = {}): Quota {
    checkTypes('Quota.extended', 'CountQuotaOptions', options);
    const count = (value: number | undefined) => (value === undefined ? undefined : String(value));
    const { borrowingLimit, lendingLimit } = options;
    return new Quota({ resource, nominal: String(nominal), borrowingLimit: count(borrowingLimit), lendingLimit: count(lendingLimit) });
  }

  private static size(resource: string, nominal: Size, { borrowingLimit, lendingLimit }: SizeQuotaOptions): Quota {
    return new Quota({ resource, nominal: nominal.asString(), borrowingLimit: borrowingLimit?.asString(), lendingLimit: lendingLimit?.asString() });
  }

  /** Resource that it is a quota of. */
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
   * A quota for each resource that pods of the queue may ask for. All flavors of a group have the same ones, in any order.
   */
  readonly quotas: Quota[];
}

/** Alternative flavors: a job gets the first that it fits, for all resources of the group. */
export interface ResourceGroup {
  /** The most wanted first. */
  readonly flavors: FlavorQuotas[];
}
