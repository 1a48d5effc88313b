/**
 * Reads a collection in pages of a few MiB, whatever its objects are like: 500 pods are 4 MiB, 500 jobs of the largest size that the API server
 * takes are 500 MiB, which no operator has room for. The first page is small; each page tells how large the objects are, and so how many the next
 * one may have. The size of the objects ahead is a guess, so an answer that grows beyond a bound is given up, and fewer are asked for.
 */
import { isAtMost } from './resource-version';
import type { Store } from './store';
import { isApiError, TransportError } from '../http/api-error';
import type { SelectOptions } from '../http/call-options';
import type { KubeClient } from '../kube-client';
import type { KubeObject, ObjectMeta } from '../kube-object';
import type { ResourceKind } from '../resource-kind';

/** What {@link readPages} reads. */
export interface ReadPagesOptions extends SelectOptions {
  readonly signal?: AbortSignal;
  /** Only the metadata of each object. @default false */
  readonly metadataOnly?: boolean;
  /** Most objects of a page. @default 500 */
  readonly largestPage?: number;
}

/** Who takes the objects. */
export interface PageTaker<T extends KubeObject> {
  /** One page; it is forgotten here afterwards. */
  take(items: readonly T[]): void;
  /** The collection is read from its beginning again: what was taken so far is of an older moment. */
  restart(): void;
}

/** Objects of the first page. */
const FIRST_PAGE = 50;
/** Bytes that a page should have. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Bytes at which an answer of several objects is given up. */
const MAX_PAGE_BYTES = 4 * PAGE_BYTES;
/** How many times fewer objects are asked for then. */
const SHRINK = 8;

/** Reads all objects of a kind, at one version of the collection: a consistent read. @returns that version */
export async function readPages<T extends KubeObject>(
  client: Pick<KubeClient, 'listPage'>, kind: ResourceKind, options: ReadPagesOptions, taker: PageTaker<T>,
): Promise<string> {
  const { largestPage = 500, ...select } = options;
  let limit: number | undefined = Math.min(FIRST_PAGE, largestPage);
  let continueToken: string | undefined;
  for (;;) {
    let page;
    try {
      // A single object must be read, however large it is.
      const maxBytes = limit !== undefined && limit > 1 ? MAX_PAGE_BYTES : undefined;
      page = await client.listPage<T>(kind, { ...select, limit, continueToken, maxBytes });
    } catch (error) {
      if (limit !== undefined && error instanceof TransportError && error.isTooLong) {
        limit = Math.max(1, Math.floor(limit / SHRINK));
        continue;
      }
      if (continueToken !== undefined && isApiError(error, 'isGone')) {
        // The collection changes faster than we page through it, or a page took minutes: all at once then.
        limit = continueToken = undefined;
        taker.restart();
        continue;
      }
      throw error;
    }
    const { items, resourceVersion, bytes = 0 } = page;
    taker.take(items);
    ({ continueToken } = page);
    if (continueToken === undefined) {
      return resourceVersion;
    }
    if (limit !== undefined) {
      limit = Math.max(1, Math.min(largestPage, Math.floor(PAGE_BYTES * items.length / Math.max(1, bytes))));
    }
  }
}

/** Objects whose metadata are read in one page. */
const METADATA_PAGE = 2_000;

/** Objects that are read one by one; of more, all are read. */
const FEW_OBJECTS = 200;

/**
 * Reads an object again, into its store.
 * @param known what is known of it
 * @returns what has its name now
 */
export async function readAgain<T extends KubeObject>(
  client: Pick<KubeClient, 'tryGet'>, kind: ResourceKind, store: Pick<Store<T>, 'applyWritten' | 'markDeleted'>, known: ObjectMeta,
): Promise<T | undefined> {
  const live = await client.tryGet<T>(kind, { namespace: known.namespace, name: known.name! });
  takeIn(store, known, live);
  return live;
}

function takeIn<T extends KubeObject>(store: Pick<Store<T>, 'applyWritten' | 'markDeleted'>, known: ObjectMeta, live: T | undefined): void {
  if (live === undefined) {
    store.markDeleted({ namespace: known.namespace, name: known.name!, uid: known.uid });
  } else {
    store.applyWritten(live);
  }
}

/**
 * Brings a cache that a list/watch feeds, and that has been warm for a while, up to this moment.
 *
 * A standby follows the watch, and a watch may be behind: what the last leader did just before it lost the lease may still be on its way. A new
 * leader that planned from that would see finished jobs as running and leaving pods as lost. So it asks for the versions of all objects before it
 * acts, and reads what it does not know. The watch goes on meanwhile, and so do own writes to objects of other shards: whichever knows an object's
 * newer version wins, and what the list lacks is gone only if it is not newer than the list.
 * @throws ApiError or TransportError when a request fails; calling again is safe
 */
export async function catchUp<T extends KubeObject>(
  client: Pick<KubeClient, 'listPage' | 'tryGet'>, kind: ResourceKind, store: Store<T>, select: SelectOptions = {},
): Promise<void> {
  const listed = new Set<string | undefined>();
  const news: ObjectMeta[] = [];
  const forget = (): void => {
    listed.clear();
    news.length = 0;
  };
  const list = async (options: ReadPagesOptions, take: (item: T) => void): Promise<string> => readPages<T>(client, kind, { ...select, ...options }, {
    take: (items) => items.forEach((item) => {
      listed.add(item.metadata?.uid);
      take(item);
    }),
    restart: forget,
  });
  let version = await list({ metadataOnly: true, largestPage: METADATA_PAGE }, (item) => {
    if (!store.knows(item)) {
      news.push(item.metadata!);
    }
  });
  if (news.length > FEW_OBJECTS) {
    forget();
    version = await list({}, (item) => store.applyWritten(item));
  }
  // Newer than the list means made after it, as the watch has told.
  for (const { metadata } of store.list()) {
    if (!listed.has(metadata?.uid) && isAtMost(metadata?.resourceVersion ?? '', version)) {
      store.markDeleted({ namespace: metadata?.namespace, name: metadata!.name!, uid: metadata?.uid });
    }
  }
  const read = await Promise.all(news.map(async (known) => client.tryGet<T>(kind, { namespace: known.namespace, name: known.name! })));
  // Together, as a list is: whoever counts objects must not see half of them.
  read.forEach((live, index) => takeIn(store, news[index], live));
}
