/**
 * What a program tells the command that runs it about its bundles. Manifests hold no path of the machine that wrote them, but `trainyard run` uses a
 * bundle's folder in place and `trainyard push` needs its archive. So these commands name a folder in a variable, and each bundle leaves a file
 * there.
 */

/** Variable with the folder. */
export const CODE_RECORD_VARIABLE = 'TRAINYARD_CODE_RECORD';

/** Content of `HEX.json` in the folder, HEX being the digits of the digest. */
export interface CodeRecord {
  readonly digest: string;
  /** Folder that the bundle was made of. @default - it was made of an archive */
  readonly folder?: string;
  /** Where the archive has to be. @default - it is carried as a ConfigMap */
  readonly url?: string;
  /** File with the archive, beside this one. @default - it is carried as a ConfigMap */
  readonly archive?: string;
  /** Bytes of the archive. */
  readonly size: number;
}
