/** `volumes` of a Volcano Job: claims that all of its pods mount. */
import type { Fields } from '../fields';
import type { RoleDraft } from '../job';
import type { Notes } from '../notes';
import type { PodSpec } from '../../kubernetes';
import { TRAINING_CONTAINER } from '../../../model/names';

/** The roles with the job's volumes in their templates. */
export function withVolcanoVolumes(spec: Fields, roles: readonly RoleDraft[], notes: Notes): RoleDraft[] {
  const claims = spec.list('volumes').flatMap((volume) => {
    const mountPath = volume.required('mountPath', volume.text('mountPath'), 'is required: where the volume is mounted.');
    const claimName = volume.text('volumeClaimName');
    const claim = volume.take('volumeClaim');
    if (claim !== undefined) {
      notes.lost(volume.at('volumeClaim'), claim, claimName === undefined
        ? `has no equivalent: claims are not created with the job. Create a PersistentVolumeClaim, and mount it at ${mountPath} by name.`
        : 'has no equivalent: claims are not created with the job. Create the PersistentVolumeClaim separately.');
    }
    return claimName === undefined ? [] : [{ mountPath, claimName }];
  });
  const volumes = claims.map(({ claimName }) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const volumeMounts = claims.map(({ claimName, mountPath }) => ({ name: claimName, mountPath }));
  return claims.length === 0 ? [...roles] : roles.map((role) => {
    const pod = role.template.spec as Partial<PodSpec> | undefined;
    const own = pod?.containers?.find(({ name }) => name === TRAINING_CONTAINER) ?? { name: TRAINING_CONTAINER };
    const others = pod?.containers?.filter(({ name }) => name !== TRAINING_CONTAINER) ?? [];
    return {
      ...role,
      template: {
        ...role.template,
        spec: {
          ...pod,
          containers: [{ ...own, volumeMounts: [...own.volumeMounts ?? [], ...volumeMounts] }, ...others],
          volumes: [...pod?.volumes ?? [], ...volumes],
        },
      },
    };
  });
}
