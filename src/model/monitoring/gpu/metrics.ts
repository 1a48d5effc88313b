/** Metrics of NVIDIA's DCGM exporter that are asked for. */
import { counter, gauge, type MetricSource } from '../metric';

/** Labels that say which GPU, on which machine. */
const GPU = ['gpu', 'UUID', 'pci_bus_id', 'device', 'modelName', 'Hostname', 'DCGM_FI_DRIVER_VERSION', 'GPU_I_PROFILE', 'GPU_I_ID'];

/**
 * What the exporter tells by default. Whose GPU it is stands in `namespace`, `pod` and `container`, or in `exported_namespace` and so on where the
 * scrape does not honour labels.
 */
export const DCGM: MetricSource = {
  program: 'DCGM exporter 4',
  url: 'https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/default-counters.csv',
  targetLabels: ['exported_namespace', 'exported_pod', 'exported_container', 'err_code', 'err_msg'],
  metrics: [
    gauge('DCGM_FI_DEV_GPU_UTIL', 'GPU utilization in percent.', GPU),
    gauge('DCGM_FI_DEV_FB_USED', 'Memory in use, MiB.', GPU),
    gauge('DCGM_FI_DEV_FB_FREE', 'Free memory, MiB.', GPU),
    gauge('DCGM_FI_DEV_GPU_TEMP', 'Temperature, Celsius.', GPU),
    gauge('DCGM_FI_DEV_POWER_USAGE', 'Power, watts.', GPU),
    gauge('DCGM_FI_DEV_SM_CLOCK', 'Clock of the multiprocessors, MHz.', GPU),
    gauge('DCGM_FI_DEV_XID_ERRORS', 'Number of the last XID error.', GPU),
    counter('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', 'Memory rows remapped after uncorrectable errors.', GPU),
    gauge('DCGM_FI_DEV_ROW_REMAP_FAILURE', '1 if remapping rows failed.', GPU),
  ],
};

/** What an installation of the exporter has of it. */
export function dcgmWithout(lacks: readonly string[]): MetricSource {
  return { ...DCGM, metrics: DCGM.metrics.filter(({ name }) => !lacks.includes(name)) };
}
