/** An archive that a bucket or registry must have. */
export interface WantedArchive {
  readonly url: string;
  /** SHA-256, `sha256:...`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface RemoteArchive {
  /** Whether the archive exists. @throws StoreError when it has other content, or the store refuses to answer */
  exists(): Promise<boolean>;
  upload(content: Uint8Array): Promise<void>;
}
