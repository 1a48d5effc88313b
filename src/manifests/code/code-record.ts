/**
 * Data about bundles that a program passes to the command that runs it. Manifests contain no local paths, but `trainyard run` uses a bundle's folder
 * in place and `trainyard push` needs its archive. So these commands set a variable with a folder, and each bundle writes a file there.
 */

/** Variable with the folder. */
export const CODE_RECORD_VARIABLE = 'TRAINYARD_CODE_RECORD';

/** Content of `HEX.json` in the folder; HEX is the digest without its prefix. */
export interface CodeRecord {
  readonly digest: string;
  /** Source folder of the bundle. @default - the source is an archive */
  readonly folder?: string;
  /** Target URL of the archive. @default - the archive is in a ConfigMap */
  readonly url?: string;
  /** File with the archive, in the same folder. @default - the archive is in a ConfigMap */
  readonly archive?: string;
  /** Size of the archive in bytes. */
  readonly size: number;
}
