/** A price table for tests. The numbers are made up, and chosen so that sums are easy to see. */
import type { PriceTable } from '../../../src/model/cost/prices';

export const TABLE: PriceTable = {
  date: '2026-11-20',
  currency: 'USD',
  region: 'us-central1',
  machines: {
    'a3-highgpu-8g': { onDemand: 80, spot: 24, flexStart: 40, reserved: 50 },
    'g2-standard-12': { onDemand: 1, spot: 0.4 },
    'g2-standard-48': { onDemand: 4, spot: 1.6 },
    'n1-standard-8': { onDemand: 0.4, spot: 0.1 },
    'n1-highmem-8': { onDemand: 0.5, spot: 0.08 },
    'e2-standard-8': { onDemand: 0.3, spot: 0.1, vcpu: 8, memoryGiB: 32 },
    'p5.48xlarge': { onDemand: 96, accelerator: 'NVIDIA-H100-80GB-HBM3', count: 8, vcpu: 192, memoryGiB: 2048 },
  },
  accelerators: {
    'nvidia-tesla-t4': { onDemand: 0.35, spot: 0.15 },
    'tpu-v6e-slice': { onDemand: 2.5, spot: 1 },
    'nvidia-a100-80gb': { onDemand: 5, spot: 2 },
  },
  cpu: { onDemand: 0.03, spot: 0.01 },
  memory: { onDemand: 0.004, spot: 0.001 },
  storage: { 'standard-rwx': 0.2, 'pd-balanced': 0.1, 'local-ssd': 0.08 },
  objects: { ContainerCluster: 0.1 },
};
