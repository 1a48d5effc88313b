/** The file of NVIDIA's device plugin. */
import type { PluginConfig } from '../../model/gpu-operator/device-plugin';
import { plainObject } from '../plain-object';

/** A configuration, as the plugin reads it. */
export function constructPluginConfig({ migStrategy, sharing }: PluginConfig): object {
  return plainObject({
    version: 'v1',
    flags: { migStrategy },
    sharing: sharing && {
      [sharing.strategy]: {
        renameByDefault: sharing.renameByDefault,
        // MPS has no such field: it always refuses them.
        failRequestsGreaterThanOne: sharing.strategy === 'mps' ? undefined : sharing.failRequestsGreaterThanOne,
        resources: sharing.resources.map(({ name, replicas }) => ({ name, replicas })),
      },
    },
  });
}
