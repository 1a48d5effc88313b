/** The programs of the init container, with the names that their files have. */
import { FETCH_SCRIPT } from './fetch-script';
import { UNPACK_SCRIPT } from './unpack-script';

/** A program of the init container. */
export interface CodeScript {
  readonly file: string;
  readonly text: string;
}

/** One unpacks a ConfigMap's archive, the other fetches an archive first. */
export const CODE_SCRIPTS = {
  unpack: { file: 'code.sh', text: UNPACK_SCRIPT },
  fetch: { file: 'code.py', text: FETCH_SCRIPT },
} as const satisfies { readonly [name: string]: CodeScript };
