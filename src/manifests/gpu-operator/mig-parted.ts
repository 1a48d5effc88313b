/** The file of the MIG manager. */
import { withAllDisabled, type MigConfigs, type MigEntry } from '../../model/gpu-operator/mig-parted';
import { plainObject } from '../plain-object';

/** Name of the file in its ConfigMap, which the MIG manager looks for. */
export const MIG_CONFIG_FILE = 'config.yaml';

/** All configurations, with the one that the operator begins with. */
export function constructMigConfigs(configs: MigConfigs): object {
  return {
    'version': 'v1',
    'mig-configs': Object.fromEntries(Object.entries(withAllDisabled(configs)).map(([name, entries]) => [name, entries.map(constructEntry)])),
  };
}

function constructEntry({ devices, deviceFilter, enabled, partitions }: MigEntry): object {
  return plainObject({
    'device-filter': deviceFilter === undefined || deviceFilter.length === 0 ? undefined : [...deviceFilter],
    'devices': devices === undefined ? 'all' : [...devices],
    'mig-enabled': enabled,
    'mig-devices': enabled ? { ...partitions } : undefined,
  });
}
