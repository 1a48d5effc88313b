/**
 * A tar archive that depends only on the files: no owner, one time for all, two modes. In GNU's format, the oldest one that supports long names and
 * that GNU tar, busybox, bsdtar and Python all read.
 * @see https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */

/** An entry of an archive: a file or a link. */
export interface TarEntry {
  /** Path with slashes, from the root of the archive. */
  readonly path: string;
  /** Whether the file is executable. */
  readonly executable: boolean;
  /** Content of a file. @default - empty */
  readonly content?: Uint8Array;
  /** Target of a link. @default - it is a file */
  readonly link?: string;
}

const BLOCK = 512;

/** Longest name in a header, in bytes. */
const NAME_MAX_BYTES = 100;

/** Time of all files, in seconds: the one that npm uses, because tools take 1970 for an error. */
const TIME = 499_162_500;

/** Writes an archive. Entries are sorted by their paths. */
export function writeTar(entries: readonly TarEntry[]): Uint8Array {
  const sorted = [...entries].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  return Buffer.concat([...sorted.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf({ path, executable, content = new Uint8Array(), link }: TarEntry): Uint8Array[] {
  const name = Buffer.from(path, 'utf8');
  const target = Buffer.from(link ?? '', 'utf8');
  return [
    ...longName('L', name),
    ...longName('K', target),
    header({ name, target, type: link === undefined ? '0' : '2', mode: link !== undefined ? 0o777 : executable ? 0o755 : 0o644, size: content.length }),
    ...padded(content),
  ];
}

/** The full name, in an entry before the header that truncates it. */
function longName(type: 'L' | 'K', name: Buffer): Uint8Array[] {
  if (name.length <= NAME_MAX_BYTES) {
    return [];
  }
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  return [header({ name: Buffer.from('././@LongLink'), target: Buffer.alloc(0), type, mode: 0o644, size: content.length }), ...padded(content)];
}

interface Header {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

function header({ name, target, type, mode, size }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) => block.write(value.toString(8).padStart(digits, '0'), at, 'ascii');
  name.copy(block, 0, 0, NAME_MAX_BYTES);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(TIME, 136, 11);
  block.write(' '.repeat(8), 148, 'ascii');
  block.write(type, 156, 'ascii');
  target.copy(block, 157, 0, NAME_MAX_BYTES);
  block.write('ustar  \0', 257, 'ascii');
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 6);
  block.write('\0 ', 154, 'ascii');
  return block;
}

function padded(content: Uint8Array): Uint8Array[] {
  const rest = content.length % BLOCK;
  return rest === 0 ? [content] : [content, Buffer.alloc(BLOCK - rest)];
}
