/** The Redis that the head of a Ray cluster keeps its state in, as Google Cloud offers it. */
import { STORAGE_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';

export interface RayRedis {
  /** Whether it is a Memorystore for Redis Cluster, or another one with slots. */
  readonly cluster?: boolean;
  /** Shards, where it has several. */
  readonly shards?: number;
  /** Addresses, such as `10.0.0.3:6379`; several of them separated by commas. */
  readonly address?: string;
}

/** Checks that Ray can use a Redis. */
export function checkRayRedis({ cluster, shards, address }: RayRedis, path = 'redis'): Finding[] {
  const findings = new FindingCollector();
  const fix = 'Use one instance (Memorystore for Redis, STANDARD_HA for one that fails over).';
  if (cluster || (shards ?? 1) > 1) {
    const [field, value] = cluster ? ['cluster', true] : ['shards', shards];
    findings.error(STORAGE_RULES.redis, `${path}.${field}`, value, `is a Redis Cluster, and Ray's keys cannot span slots: KubeRay supports only a single Redis instance. ${fix}`);
  } else if (address?.includes(',')) {
    findings.error(STORAGE_RULES.redis, `${path}.address`, address, `has several addresses, but KubeRay supports only a single Redis instance. ${fix}`);
  }
  return findings.findings;
}
