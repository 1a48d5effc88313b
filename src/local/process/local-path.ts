/**
 * What a manifest writes and what becomes a path of this machine: names of volumes and claims, keys of config maps, `items[].path`, `subPath`. In a
 * cluster the API server and the kubelet check them, and a container's file system bounds them. Here they would lead anywhere that the user may
 * write: a config map for data must not be able to write `~/.ssh/authorized_keys`.
 *
 * A process cannot mount: where a container would see a volume at `/data`, a local process has to be told another path. So every path inside a value
 * that lies under a mount is rewritten to the local folder. A path counts where it starts a word (`--out=/data/x`, `a:/data`), and ends at a path
 * boundary (`/database` is not under `/data`); URLs such as `s3://bucket/data` stay.
 */
import fs from 'node:fs';
import path from 'node:path';
import { PodConfigError } from './pod-config-error';
import { expressionOf, quotedPattern } from '../../model/text/expressions';
import { NAME_MAX_LENGTH } from '../../model/text/printable';
import { trimmedEnd } from '../../model/text/trim';

/** Longest path of an item of a volume, as a file system takes it. */
const PATH_MAX_LENGTH = 4096;

/** A label of DNS, without the dots that some names may have between labels. */
const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/**
 * A name as the name of a file.
 * @param what how errors call it: `claimName of volume 'data'`
 * @throws PodConfigError for what is not a DNS name
 */
export function fileNameOf(name: string, what: string): string {
  if (typeof name !== 'string' || name.length > NAME_MAX_LENGTH || !name.split('.').every((label) => LABEL.test(label))) {
    throw new PodConfigError(`${what} is ${shown(name)}, but must be a DNS name: lower-case letters, digits, '-' and '.', of at most ${NAME_MAX_LENGTH} characters.`);
  }
  return name;
}

/**
 * A path below a folder.
 * @param folder it is made where it is missing
 * @param written a relative path; an empty one is the folder itself
 * @param what how errors call it: `subPath of volume 'data'`
 * @throws PodConfigError for a path that leads out of the folder, also by a link in it
 */
export function pathBelow(folder: string, written: string, what: string): string {
  const parts = String(written).split('/');
  if (typeof written !== 'string' || written.length > PATH_MAX_LENGTH || written.startsWith('/') || written.includes('\0') || parts.includes('..')) {
    throw new PodConfigError(`${what} is ${shown(written)}, but must be a relative path without '..'.`);
  }
  fs.mkdirSync(folder, { recursive: true });
  // The folder itself may be reached by links: that is the user's own choice.
  const root = fs.realpathSync(folder);
  let at = root;
  for (const part of parts.filter((name) => name !== '' && name !== '.')) {
    at = path.join(at, part);
    if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() && !isWithin(root, targetOf(at))) {
      throw new PodConfigError(`${what} is ${shown(written)}, but ${at} is a link that points outside ${folder}. Remove the link.`);
    }
  }
  return path.join(folder, written);
}

/** Where a link leads; undefined where nothing is. */
function targetOf(link: string): string | undefined {
  try {
    return fs.realpathSync(link);
  } catch {
    return undefined;
  }
}

function isWithin(root: string, target: string | undefined): boolean {
  return target !== undefined && (target === root || target.startsWith(root.endsWith(path.sep) ? root : root + path.sep));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** One folder (or file) that is elsewhere on this machine. */
export interface PathMapping {
  /** As the container sees it: absolute, without a slash at the end. */
  readonly containerPath: string;
  readonly localPath: string;
}

/** Rewrites paths. */
export class PathMapper {
  private readonly mappings: readonly PathMapping[];
  private readonly pattern: RegExp | undefined;

  /** Of mappings that lie in each other the deepest holds; of several for one path the first. */
  public constructor(mappings: readonly PathMapping[]) {
    const cleaned = mappings.map((mapping) => ({ ...mapping, containerPath: trimmedEnd(mapping.containerPath, '/') }))
      .filter((mapping) => mapping.containerPath.startsWith('/') && mapping.containerPath !== mapping.localPath);
    this.mappings = [...cleaned].sort((a, b) => b.containerPath.length - a.containerPath.length);
    if (this.mappings.length > 0) {
      const paths = this.mappings.map((mapping) => quotedPattern(mapping.containerPath)).join('|');
      this.pattern = expressionOf(`(^|[\\s=:,;"'(\\[{<>])(${paths})(?=$|[/\\s:,;"')\\]}<>])`, 'g');
    }
  }

  /** The text with all paths under a mapping rewritten. */
  public rewrite(text: string): string {
    return this.pattern === undefined ? text : text.replace(this.pattern, (_match, before: string, path: string) => `${before}${this.local(path)}`);
  }

  /** The local path of an absolute path; undefined when no mapping covers it. */
  public tryMap(path: string): string | undefined {
    const mapping = this.mappings.find(({ containerPath }) => path === containerPath || path.startsWith(`${containerPath}/`));
    return mapping && `${mapping.localPath}${path.slice(mapping.containerPath.length)}`;
  }

  private local(containerPath: string): string {
    return this.mappings.find((mapping) => mapping.containerPath === containerPath)!.localPath;
  }
}
