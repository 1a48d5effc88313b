/** What every call accepts. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. @default - the client's `timeoutMs` */
  readonly timeoutMs?: number;
  /** @default - the client's `maxRetries` */
  readonly maxRetries?: number;
  /** Goes past the queue of ordinary requests, on a connection of its own: for lease renewals. @default false */
  readonly urgent?: boolean;
  /** A longer answer is given up, with a `TransportError` whose `isTooLong` holds. @default - any length */
  readonly maxBytes?: number;
}

/** Options of `KubeClient.get`. */
export interface GetOptions extends CallOptions {
  /** Subresource to read instead of the object: `status`, `scale`. */
  readonly subresource?: string;
}

/** What writes accept. */
export interface WriteOptions extends CallOptions {
  /** Subresource to write instead of the object: `status`, `scale`, `eviction`, `binding`. */
  readonly subresource?: string;
  /** Name under which the server records who owns which field. @default - the user agent, by the server */
  readonly fieldManager?: string;
  /** What the server does about unknown fields. @default - Warn, by the server */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Checked and answered, not stored. @default false */
  readonly dryRun?: boolean;
  /**
   * Of creations and patches: answer with the object's metadata alone, as `PartialObjectMetadata`. What was sent is known here, and a large object
   * need not come back. A server that knows no such answer sends the whole object. @default false
   */
  readonly metadataOnly?: boolean;
}

/** How a patch is read by the server. `apply` is server-side apply and makes the object if it is not there. */
export type PatchType = 'merge' | 'apply' | 'json' | 'strategic';

/** Options of `KubeClient.patch`. */
export interface PatchOptions extends WriteOptions {
  /** @default "merge" */
  readonly type?: PatchType;
  /** For `apply`: take over fields that other managers own. @default false */
  readonly force?: boolean;
}

/** Options of deletions. */
export interface DeleteOptions extends CallOptions {
  /** Refuse with a conflict unless the object still is this one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Seconds the object may take to stop; 0 removes it at once. */
  readonly gracePeriodSeconds?: number;
  /** What happens to objects that this one owns. @default - Background, by the server */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly dryRun?: boolean;
}

/** Which objects a list, a watch or a deletion of a collection is about. */
export interface SelectOptions {
  /** @default - all namespaces */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of `KubeClient.listPage`. */
export interface ListOptions extends SelectOptions, CallOptions {
  /** Most objects of a page. @default - all in one page */
  readonly limit?: number;
  /** Token of the page to get. */
  readonly continueToken?: string;
  /** Serve from any state at least this new; absent means the latest state (a consistent read). */
  readonly resourceVersion?: string;
  /** Answer with the metadata of each object alone; a server that knows no such answer sends whole objects. @default false */
  readonly metadataOnly?: boolean;
}

/** Options of `KubeClient.watch`. */
export interface WatchOptions extends SelectOptions {
  /** Events after this version are sent. */
  readonly resourceVersion: string;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** Called when the server accepted the watch, before the first event. */
  readonly onOpen?: () => void;
}

/** Options of `KubeClient.podLogs`. */
export interface LogOptions extends CallOptions {
  readonly container?: string;
  /** Lines from the end. @default - all */
  readonly tailLines?: number;
  /** The server stops after this many bytes. */
  readonly limitBytes?: number;
  /** Logs of the container's previous run. @default false */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  /** RFC 3339: lines since then. @default - all */
  readonly sinceTime?: string;
  /** Of streams: goes on with what the container writes, until it ends. @default false */
  readonly follow?: boolean;
}
