/** Options that a store is mounted with: the user's, and those that its backend needs. */
import type { GcsFuseBackend, StoreSpec } from '../../model/storage/store';

/** Most files of a folder that is renamed. */
const RENAME_LIMIT = 200_000;

/** Options of the volume. */
export function storeMountOptions(spec: StoreSpec): string[] {
  const { backend, mountOptions = [] } = spec;
  return backend.kind === 'gcsFuse' ? fuseOptions(spec, backend, [...backend.mountOptions ?? [], ...mountOptions]) : [...mountOptions];
}

function fuseOptions({ user, group }: StoreSpec, { folder, hierarchicalNamespace }: GcsFuseBackend, written: readonly string[]): string[] {
  const names = written.map((option) => option.split(/[=:]/)[0]);
  const own: readonly (readonly [string, string | undefined])[] = [
    // Objects that were written by other tools have no folders of their own.
    ['implicit-dirs', ''],
    ['only-dir', folder],
    // Checkpoints are renamed when they are whole.
    ['rename-dir-limit', hierarchicalNamespace ? undefined : String(RENAME_LIMIT)],
    ['uid', user?.toString()],
    ['gid', (group ?? user)?.toString()],
    ['file-mode', user === undefined && group === undefined ? undefined : '664'],
    ['dir-mode', user === undefined && group === undefined ? undefined : '775'],
  ];
  return [
    ...own.filter(([name, value]) => value !== undefined && !names.includes(name)).map(([name, value]) => (value === '' ? name : `${name}=${value}`)),
    ...written,
  ];
}
