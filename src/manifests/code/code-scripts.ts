/**
 * The programs of the init container, with the names that their files have.
 *
 * Where the archive comes in ConfigMaps, it is POSIX shell, for whatever image there is: what it needs is in busybox and in nearly every other one
 * (`cat`, `tar`, `gzip`, `sha256sum`), and where one of the last three is missing Python does its part.
 *
 * Where the archive has to be fetched first, it is Python with nothing but its standard library, which the images of nearly all frameworks have:
 * signatures of S3 and the tokens of registries are more than a shell can do with the tools of any image. Who it is: first what the job's Secret says
 * (files named like the variables of the cloud's own tools, or `.dockerconfigjson`), then the variables that a cloud's webhook gives to pods, then
 * the metadata server of Google's clouds, else nobody, which is enough for public archives.
 */
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

/** Run as `sh code.sh ARCHIVE DIGEST FOLDER`. A split archive is in files that are named ARCHIVE.0, ARCHIVE.1 and so on. */
export const UNPACK_FILE = 'code.sh';

/** Run as `python3 code.py URL DIGEST FOLDER [CREDENTIALS]`. */
export const FETCH_FILE = 'code.py';

/** Files of the program that unpacks a ConfigMap's archive. */
export function unpackFiles(): { readonly [file: string]: string } {
  return {
    [UNPACK_FILE]: programText('code/unpack.sh'),
    'unpack.py': joinedPython(programText('code/archive.py'), programText('code/unpack.py')),
  };
}

/** Files of the program that fetches an archive first. */
export function fetchFiles(): { readonly [file: string]: string } {
  return {
    [FETCH_FILE]: joinedPython(
      programText('code/archive.py'), programText('cloud/aws.py'), programText('cloud/google.py'), programText('code/transport.py'),
      programText('code/sources.py'), programText('code/fetch.py'),
    ),
  };
}
