/** A service account's token as a file of a pod's volume, replaced before it expires, as a kubelet does. */
import fs from 'node:fs';

/** A token. */
export interface IssuedToken {
  readonly token: string;
  /** Seconds until it expires. @default - never */
  readonly expiresInSeconds?: number;
}

/** Part of its life after which a token is replaced; a kubelet's. */
const RENEWED_AFTER = 0.8;

/** Milliseconds before a renewal that failed is tried again. */
const RETRY_MS = 10_000;

/** Keeps one file. */
export class TokenFile {
  private timer?: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly issue: () => Promise<IssuedToken>,
    private readonly warn: (message: string) => void,
  ) {}

  /** Writes the file. @throws what `issue` throws the first time; later failures are told and tried again */
  public static async create(file: string, issue: () => Promise<IssuedToken>, warn: (message: string) => void): Promise<TokenFile> {
    const made = new TokenFile(file, issue, warn);
    await made.renew();
    return made;
  }

  /** Leaves the file as it is from now on. */
  public close(): void {
    clearTimeout(this.timer);
  }

  private async renew(): Promise<void> {
    const { token, expiresInSeconds } = await this.issue();
    // A reader never sees half of it.
    fs.writeFileSync(`${this.file}.new`, token, { mode: 0o600 });
    fs.renameSync(`${this.file}.new`, this.file);
    if (expiresInSeconds !== undefined) {
      this.again(expiresInSeconds * RENEWED_AFTER * 1000);
    }
  }

  private again(ms: number): void {
    this.timer = setTimeout(() => {
      this.renew().catch((error: Error) => {
        this.warn(`the token in ${this.file} could not be renewed, will be retried: ${error.message}`);
        this.again(RETRY_MS);
      });
    }, ms).unref();
  }
}
