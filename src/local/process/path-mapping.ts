/**
 * A process cannot mount: where a container would see a volume at `/data`, a local process has to be told another path. So every path
 * inside a value that lies under a mount is rewritten to the local folder. A path counts where it starts a word (`--out=/data/x`, `a:/data`),
 * and ends at a path boundary (`/database` is not under `/data`); URLs such as `s3://bucket/data` stay.
 */
import { expressionOf, quotedPattern } from '../../model/text/expressions';
import { trimmedEnd } from '../../model/text/trim';

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
