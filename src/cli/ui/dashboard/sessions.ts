/**
 * A user's token, encrypted into a cookie with AES-256-GCM. Replicas therefore need no shared store, sessions survive a restart, and the server
 * stores no tokens. The browser cannot read the cookie's content, so a stolen cookie file contains no token for the API server.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export interface Session {
  readonly token: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const CIPHER = 'aes-256-gcm';
const PURPOSE = 'trainyard dashboard session v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Minimum bytes of a secret from which keys are derived. */
const MIN_SECRET = 32;

/** Maximum bytes of a sealed session in a cookie: browsers accept 4,096 with its name and attributes. */
export const MAX_SEALED = 3_900;

/** Maximum bytes of an unpacked session, which limits what a forged one could unpack to. */
const MAX_SESSION = 16 * 1024;

export class SessionSeals {
  private readonly keys: readonly Buffer[];

  /** @param secrets the first one seals, and all of them open. @throws Error if there is none, or one is too short */
  public constructor(secrets: readonly Buffer[]) {
    if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET)) {
      throw new Error(`The session key has ${secrets[0]?.length ?? 0} bytes and must have at least ${MIN_SECRET}. Create one with: openssl rand -base64 32`);
    }
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)));
  }

  /** A random key for the lifetime of the process. */
  public static ofProcess(): SessionSeals {
    return new SessionSeals([randomBytes(MIN_SECRET)]);
  }

  /** Keys in the files `key` and, after a rotation, `previous-key`. @throws Error if there is no `key` */
  public static ofFolder(folder: string): SessionSeals {
    const files = ['key', 'previous-key'].map((name) => path.join(folder, name));
    if (!existsSync(files[0])) {
      throw new Error(`Reading the session key: there is no file ${files[0]}. The Secret must have the key 'key'.`);
    }
    return new SessionSeals(files.filter((file) => existsSync(file)).map((file) => Buffer.from(readFileSync(file, 'utf8').trim())));
  }

  /** The session as text of letters, digits, `-` and `_`. */
  public seal({ token, expiresAt }: Session): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce).setAAD(Buffer.from(PURPOSE));
    // A token is mostly base64, which compresses by a quarter.
    const sealed = Buffer.concat([cipher.update(deflateRawSync(JSON.stringify([token, expiresAt]))), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** The session; undefined if it was not sealed with these keys, was changed, or has expired. @param now seconds since 1970 */
  public open(sealed: string, now: number): Session | undefined {
    const bytes = sealed.length > MAX_SEALED ? Buffer.alloc(0) : Buffer.from(sealed, 'base64url');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) {
      return undefined;
    }
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(PURPOSE)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const packed = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
        const [token, expiresAt] = JSON.parse(inflateRawSync(packed, { maxOutputLength: MAX_SESSION }).toString()) as [string, number];
        return expiresAt > now ? { token, expiresAt } : undefined;
      } catch {
        // Another key may have sealed it.
      }
    }
    return undefined;
  }
}

/** Expiry of a token in seconds since 1970; undefined if it is not a JSON web token or has none. */
export function expiryOf(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly exp?: unknown };
    return typeof exp === 'number' ? exp : undefined;
  } catch {
    return undefined;
  }
}
